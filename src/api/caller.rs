//! Who calls.

use std::net::{IpAddr, Ipv6Addr};

use tonic::Request;
use tonic::metadata::MetadataMap;

use super::convert::words::shorten;
use super::status::Refusal;
use crate::jobs::ClientId;

/// The header by which a client says who it is.
pub const HEADER: &str = "sleuth-client";
/// The longest name.
const MAX_NAME: usize = 64;

/// The client a request comes from: the name that it gives itself, or else where it comes from, so that whoever
/// reconnects finds its jobs. All callers of this machine that give no name are one.
pub fn caller<T>(request: &Request<T>) -> Result<ClientId, Refusal> {
    if let Some(name) = read_name(request.metadata())? {
        return Ok(ClientId(format!("name/{name}").into()));
    }
    let address = request.remote_addr().map(|address| address.ip().to_canonical());
    Ok(ClientId(match address {
        Some(address) if !address.is_loopback() => format!("address/{}", network(address)).into(),
        _ => "local".into(),
    }))
}

fn read_name(metadata: &MetadataMap) -> Result<Option<String>, Refusal> {
    let Some(value) = metadata.get(HEADER) else { return Ok(None) };
    let text = String::from_utf8_lossy(value.as_bytes());
    let is_name = (1..=MAX_NAME).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
    if is_name {
        return Ok(Some(text.into_owned()));
    }
    let message = format!("`{}` is not of 1 to {MAX_NAME} printable ASCII characters", shorten(&text));
    Err(Refusal::invalid(HEADER, message))
}

/// A machine has one address of the old kind, and of the new kind as many as it likes of a network of its own.
fn network(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("{}/64", Ipv6Addr::from(u128::from(address) >> 64 << 64)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Result<ClientId, Refusal> {
        let mut request = Request::new(());
        request.metadata_mut().insert(HEADER, name.parse().expect("a header"));
        caller(&request)
    }

    #[test]
    fn names_are_checked() {
        assert_eq!(named("shop-7"), Ok(ClientId("name/shop-7".into())));
        assert_eq!(caller(&Request::new(())), Ok(ClientId("local".into())));
        for name in ["", "two words", &"x".repeat(65)] {
            assert!(named(name).is_err(), "{name}");
        }
    }

    #[test]
    fn an_address_of_the_new_kind_is_one_of_many() {
        let network = |text: &str| network(text.parse().expect("an address"));
        assert_eq!(network("192.0.2.7"), "192.0.2.7");
        assert_eq!(network("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
    }
}
