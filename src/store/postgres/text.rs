//! PostgreSQL's text holds every character but one, the zero character.

use std::borrow::Cow;

/// A text that may hold anything, so that it can be stored and told from every other.
pub fn escape(text: &str) -> Cow<'_, str> {
    if !text.contains(['\0', '\\']) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace('\\', "\\\\").replace('\0', "\\0"))
}

/// The reverse of [`escape`].
pub fn unescape(text: String) -> String {
    if !text.contains('\\') {
        return text;
    }
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if letters.next() == Some('0') => plain.push('\0'),
            letter => plain.push(letter),
        }
    }
    plain
}

/// A text for people or of ours, where a zero character is of no importance.
pub fn plain(text: &str) -> Cow<'_, str> {
    if text.contains('\0') { Cow::Owned(text.replace('\0', "\u{fffd}")) } else { Cow::Borrowed(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_comes_back() {
        for text in ["", "a", "\0", "\\", "\\0", "\0\\0\\\\\0", "é\\\0"] {
            let escaped = escape(text).into_owned();
            assert!(!escaped.contains('\0'));
            assert_eq!(unescape(escaped), text);
        }
        assert_eq!(plain("a\0b"), "a\u{fffd}b");
    }
}
