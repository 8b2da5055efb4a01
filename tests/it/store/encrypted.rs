//! A PostgreSQL server that is reached over TLS, as its URL says.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use sleuth::store::*;
use sqlx::Connection;
use tempfile::TempDir;

use super::suite::{job, submit};
use crate::postgres::{Cluster, owner, skip};

/// A key, and a certificate that it signed itself, for an address.
struct Certificate {
    folder: TempDir,
}

impl Certificate {
    /// None where there is no `openssl`.
    fn make(address: &str) -> Option<Certificate> {
        let certificate = Certificate { folder: TempDir::with_prefix("sleuth-tls-").expect("a folder") };
        let made = Command::new("openssl")
            .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"])
            .args(["-days", "2", "-subj", "/CN=sleuth", "-addext"])
            .arg(format!("subjectAltName=IP:{address}"))
            // the verifier takes no authority for a server
            .args(["-addext", "basicConstraints=critical,CA:FALSE"])
            .arg("-keyout")
            .arg(certificate.key())
            .arg("-out")
            .arg(certificate.path())
            .output()
            .ok()?;
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        // the server reads a key only if nobody else may
        fs::set_permissions(certificate.key(), fs::Permissions::from_mode(0o600)).expect("changed");
        if let Some((user, group)) = owner() {
            for path in [certificate.folder.path(), &certificate.key(), &certificate.path()] {
                chown(path, Some(user), Some(group)).expect("given away");
            }
        }
        Some(certificate)
    }

    fn key(&self) -> PathBuf {
        self.folder.path().join("server.key")
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("server.crt")
    }
}

/// An address of this machine that no other server is likely to have: the port is the usual one, as it is part of the
/// name of the server's socket.
fn address() -> String {
    let [high, low] = (std::process::id() as u16).to_be_bytes();
    format!("127.77.{high}.{low}")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_is_reached_over_tls() {
    let address = address();
    let (own, other) = (Certificate::make(&address), Certificate::make(&address));
    let (Some(own), Some(other)) = (own, other) else { return skip().unwrap_or_default() };
    let settings = [
        "fsync=off".to_owned(),
        format!("listen_addresses = '{address}'"),
        "ssl = on".to_owned(),
        format!("ssl_cert_file = '{}'", own.path().display()),
        format!("ssl_key_file = '{}'", own.key().display()),
    ];
    let Some(cluster) = Cluster::start(&settings.each_ref().map(String::as_str)) else {
        return skip().unwrap_or_default();
    };
    let plain = cluster.database("tls").await;
    let url = |mode: &str, root: &Path| {
        format!("postgres://sleuth@{address}/tls?sslmode={mode}&sslrootcert={}", root.display())
    };
    let open = async |url: String| PostgresStore::open(&url, Options::default()).await;
    let store: Arc<dyn Store> = Arc::new(open(url("verify-full", &own.path())).await.expect("opens"));
    submit(&store, job("a")).await;
    let mut conn = sqlx::PgConnection::connect(&plain).await.expect("connects");
    let (encrypted, plain): (i64, i64) = sqlx::query_as(
        "select count(*) filter (where ssl), count(*) filter (where not ssl)
         from pg_stat_ssl join pg_stat_activity using (pid) where application_name = 'sleuth'",
    )
    .fetch_one(&mut conn)
    .await
    .expect("asked");
    assert!(encrypted > 0 && plain == 0, "{encrypted} encrypted, {plain} not");
    conn.close().await.expect("closes");
    store.close().await.expect("closes");
    // one that is not who it should be
    let refused = open(url("verify-full", &other.path())).await.map(drop);
    assert!(matches!(refused, Err(StoreError::Open { .. })), "{refused:?}");
}
