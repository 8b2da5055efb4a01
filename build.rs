//! Generates messages, services and the descriptor set for reflection from `proto/`, without protoc.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

use prost::Message;
use prost_types::FileDescriptorSet;
use prost_types::field_descriptor_proto::Type;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=proto");
    println!("cargo:rerun-if-changed=migrations");
    let files = proto_files(Path::new("proto/sleuth/v1"))?;
    let mut descriptors = protox::compile(files, ["proto"])?;
    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out.join("descriptor.bin"), descriptors.encode_to_vec())?;
    hold_steps_encoded(&mut descriptors);
    tonic_prost_build::configure()
        // ten times as large as other events, and one a job
        .boxed(".sleuth.v1.JobEvent.event.finished")
        .bytes(".sleuth.v1.JobEvent.step")
        .codec_path("crate::api::codec::Codec")
        .compile_fds(descriptors)?;
    Ok(())
}

/// An event holds its step as bytes, which are written once and straight: on the wire that is the same. Whoever asks what
/// messages there are is told of the step.
fn hold_steps_encoded(descriptors: &mut FileDescriptorSet) {
    let messages = descriptors.file.iter_mut().flat_map(|file| &mut file.message_type);
    let fields = messages.filter(|message| message.name() == "JobEvent").flat_map(|event| &mut event.field);
    for field in fields.filter(|field| field.name() == "step") {
        field.set_type(Type::Bytes);
        field.type_name = None;
    }
}

/// In alphabetical order, so that the descriptor set is the same on every machine.
fn proto_files(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "proto") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
