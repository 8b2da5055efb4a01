//! The deadline of a call, as `grpc-timeout` says.

use std::time::Duration;

use http::HeaderMap;
use tokio::time::Instant;

/// How much earlier a call is ended than its deadline says, so that the answer is ours: tonic's own timer, which
/// answers with another code, is wound up after ours and fires at the deadline itself.
const HEADSTART: Duration = Duration::from_millis(2);

/// When a call must have ended; none if it sets no deadline, or one that cannot be read.
pub fn read_deadline(headers: &HeaderMap) -> Option<Instant> {
    let timeout = parse_timeout(headers.get("grpc-timeout")?.to_str().ok()?)?;
    Instant::now().checked_add(timeout.saturating_sub(HEADSTART))
}

/// At most eight digits and a unit.
fn parse_timeout(text: &str) -> Option<Duration> {
    let unit = text.chars().next_back()?;
    let digits = &text[..text.len() - unit.len_utf8()];
    if digits.is_empty() || digits.len() > 8 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let value: u64 = digits.parse().ok()?;
    match unit {
        'H' => Some(Duration::from_secs(value * 3600)),
        'M' => Some(Duration::from_secs(value * 60)),
        'S' => Some(Duration::from_secs(value)),
        'm' => Some(Duration::from_millis(value)),
        'u' => Some(Duration::from_micros(value)),
        'n' => Some(Duration::from_nanos(value)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timeouts() {
        assert_eq!(parse_timeout("300m"), Some(Duration::from_millis(300)));
        assert_eq!(parse_timeout("99999999H"), Some(Duration::from_secs(99_999_999 * 3600)));
        for text in ["", "m", "1", "123456789m", "-1S", "1x", "1é", "+1S"] {
            assert_eq!(parse_timeout(text), None, "{text}");
        }
    }
}
