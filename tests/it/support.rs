//! What several tests need.

use std::env;
use std::path::{Path, PathBuf};

/// A file of the public data, from `$SLEUTH_DATA` or beside the crate. Where it is absent the test says that it
/// was skipped, unless `$SLEUTH_REQUIRE` asks for the data.
pub fn data(path: &str) -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data");
    let file = env::var_os("SLEUTH_DATA").map_or_else(beside, PathBuf::from).join(path);
    if file.exists() {
        return Some(file);
    }
    assert!(!is_required("data"), "{} is required and absent", file.display());
    println!("skipped: {} is absent", file.display());
    None
}

/// Whether `$SLEUTH_REQUIRE` says that this must be there, so that nothing is skipped for want of it.
pub fn is_required(what: &str) -> bool {
    env::var("SLEUTH_REQUIRE").is_ok_and(|list| list.split(',').any(|word| word.trim() == what))
}
