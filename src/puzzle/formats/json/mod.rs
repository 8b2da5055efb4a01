//! Sleuth's own JSON, which holds every puzzle there is:
//!
//! ```json
//! {
//!   "version": 1,
//!   "size": 9,
//!   "boxes": "3x3",
//!   "diagonals": ["falling", "rising"],
//!   "windows": true,
//!   "givens": "53..7....6..195...(nine rows of nine)",
//!   "candidates": ["123 . 45 . . . . . .", "(nine rows of nine groups)"],
//!   "cages": [
//!     {"cells": "r1c12 r2c1", "sum": 10},
//!     {"cells": "r3c45", "operation": "*", "target": 12},
//!     {"cells": "r5c5 r6c6"}
//!   ]
//! }
//! ```
//!
//! * `size` must be there, all else may be left out (or null). Unknown fields are refused, for a rule that is
//!   not understood would be a rule dropped; so is a field written twice.
//! * `boxes` is rows × columns: `"2x3"` is two rows tall and three columns wide. Instead of it, `regions` holds
//!   jigsaw regions as rows of symbols (`["1122", "1122", "3344", "3344"]`), from `1` on: those are the numbers by
//!   which steps and faults name them. With neither there are no boxes.
//! * `diagonals` holds `falling` (from the top left), `rising` (from the bottom left) or both.
//! * `givens` is a string of symbols (`.`, `0`, `_` or `*` for an open cell; blanks do not count), or its rows.
//! * `candidates` restricts cells, as in sukaku: rows of groups parted by blanks, `.` for any digit.
//! * A cage with `sum` is a killer cage: its digits differ. One with `operation` (`+ - * / = ?`) and `target`
//!   is a KenKen cage: its digits may repeat where houses allow. One with neither only says that its digits
//!   differ. `distinct` says otherwise where needed.

mod read;
mod write;

pub use read::{from_json, from_str};
pub use write::{to_json, to_line, to_string};

/// The version written, and the only one read.
pub const VERSION: u64 = 1;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::{Faults, Operation, Puzzle, PuzzleDraft};

    fn messages(text: &str) -> Vec<String> {
        let draft = from_str(text).and_then(PuzzleDraft::check);
        draft.expect_err(text).list.iter().map(ToString::to_string).collect()
    }

    /// Reading what was written gives the puzzle back, as a value and as a text.
    fn round_trip(text: &str) -> Puzzle {
        let puzzle = from_str(text).and_then(PuzzleDraft::check).expect(text);
        let again = from_json(&to_json(&puzzle)).and_then(PuzzleDraft::check);
        assert_eq!(again.as_ref(), Ok(&puzzle), "{text}");
        assert_eq!(to_line(&puzzle), to_json(&puzzle).to_string());
        let written = to_string(&puzzle);
        assert_eq!(from_str(&written).and_then(PuzzleDraft::check).as_ref(), Ok(&puzzle), "{written}");
        puzzle
    }

    #[test]
    fn every_rule_and_back() {
        let jigsaw = r#"{"size": 4, "regions": ["1112","1322","3324","3444"], "diagonals": ["rising"],
            "givens": ["1...", "....", "..2.", "...."]}"#;
        assert_eq!(round_trip(jigsaw).kind(), "jigsaw");
        let plain = r#"{"size": 6, "boxes": "3x2", "givens": "1..... ...... ..2... ...... .....6 ......"}"#;
        assert_eq!(round_trip(plain).kind(), "classic");
        let empty = r#"{"size": 16, "boxes": "4x4"}"#;
        assert_eq!(round_trip(empty).kind(), "classic");
        let windoku = r#"{"size": 9, "boxes": "3x3", "windows": true, "diagonals": ["falling", "rising"]}"#;
        assert_eq!(round_trip(windoku).houses().len(), 27 + 6);
        let sukaku = r#"{"size": 4, "boxes": "2x2", "givens": "1....... ........",
            "candidates": ["12 34 . 4", ". . . .", "1234 . 3 .", ". . . ."]}"#;
        assert!(round_trip(sukaku).is_restricted());
        let killer = r#"{"version": 1, "size": 6, "boxes": "2x3", "cages": [{"cells": "r1c12 r2c1", "sum": 6},
            {"cells": "r6c6,r5c6"}, {"cells": "r3c34", "operation": "*", "target": 12, "distinct": true}]}"#;
        let killer = round_trip(killer);
        assert!(killer.cages().iter().all(|cage| cage.distinct));
        assert_eq!(killer.cages()[1].operation, Operation::Free);
        let kenken = r#"{"size": 2, "cages": [{"cells": "r1c1", "operation": "=", "target": 1},
            {"cells": "r1c2", "distinct": false}, {"cells": "r2c12", "operation": "?", "target": 2}]}"#;
        assert_eq!(round_trip(kenken).kind(), "kenken");
        let largest = r#"{"size": 25, "boxes": "5x5", "cages": [{"cells": "rPcOP", "sum": 49}]}"#;
        round_trip(largest);
    }

    #[test]
    fn what_is_written() {
        let text =
            r#"{"size": 2, "givens": "1...", "cages": [{"cells": "r1c12", "sum": 3}, {"cells": "r2c1"}]}"#;
        assert_eq!(
            to_string(&round_trip(text)),
            concat!(
                "{\n  \"version\": 1,\n  \"size\": 2,\n  \"givens\": \"1...\",\n  \"cages\": [\n",
                "    {\"cells\":\"r1c12\",\"sum\":3},\n    {\"cells\":\"r2c1\"}\n  ]\n}\n"
            )
        );
    }

    #[test]
    fn every_fault_has_its_path() {
        let text = r#"{"size": 4, "version": 2, "boxes": "4", "regions": ["11", 5, "1122", "11.?"],
            "diagonals": ["up"], "windows": 1, "givens": "12", "candidates": ["1 2 3 5", "11 . . .", ".", 0],
            "arrows": [], "cages": [7, {"cells": "r1c1 r5c1", "sum": 1.5, "colour": 3},
            {"cells": [], "target": 3}, {"cells": "r1c1", "operation": "^", "target": 3, "sum": -2}]}"#;
        let paths: Vec<String> =
            from_str(text).expect_err("faults").list.iter().map(|fault| fault.field.clone()).collect();
        assert_eq!(
            paths,
            [
                "arrows",
                "version",
                "boxes",
                "regions",
                "regions[0]",
                "regions[1]",
                "regions[3]",
                "diagonals[0]",
                "windows",
                "givens",
                "candidates[0]",
                "candidates[1]",
                "candidates[2]",
                "candidates[3]",
                "cages[0]",
                "cages[1].colour",
                "cages[1].cells",
                "cages[1].sum",
                "cages[2].cells",
                "cages[2].operation",
                "cages[3].operation",
                "cages[3].sum"
            ]
        );
    }

    #[test]
    fn one_fault() {
        for (text, fault) in [
            ("[]", "puzzle: a puzzle is an object"),
            ("{}", "size: the size is missing: a number from 2 to 25"),
            (r#"{"size": 26}"#, "size: size 26 is not between 2 and 25"),
            (r#"{"size": -9}"#, "size: size -9 is not between 2 and 25"),
            (r#"{"size": 1e99}"#, "size: size 1e+99 is not between 2 and 25"),
            (r#"{"size": "9"}"#, "size: size \"9\" is not between 2 and 25"),
            (
                "{\"size\": 9,\n \"size\": 9}",
                "line 2, column 11: this is no JSON: field `size` is written twice",
            ),
            (
                r#"{"size": 9, "boxes": "2x3"}"#,
                "boxes: boxes of 2 rows and 3 columns do not fit a board of size 9",
            ),
            (
                r#"{"size": 9, "cages": [{"cells": "r1c1", "sum": -1}]}"#,
                "cages[0].target: target -1 of cage 1 is negative",
            ),
            (r#"{"size": 4, "regions": ["1112","1322","3324","344."]}"#, "regions: r4c4 is in no region"),
            (
                r#"{"size": 4, "regions": ["1112","1322","3324","3445"]}"#,
                "regions: r4c4 is in region 5, of 1 to 4",
            ),
        ] {
            assert_eq!(messages(text), [fault], "{text}");
        }
    }

    #[test]
    fn hostile() {
        let deep = "[".repeat(100_000);
        assert_eq!(messages(&deep).len(), 1);
        let wide = format!(
            r#"{{"size": 25, "cages": [{}]}}"#,
            vec![r#"{"cells":"r123456789c123456789"}"#; 9000].join(",")
        );
        let faults = from_str(&wide).and_then(PuzzleDraft::check).expect_err("faults");
        assert!(faults.list.len() <= Faults::LIMIT);
        let cells = format!(
            r#"{{"size": 25, "cages": [{{"cells": "{}"}}]}}"#,
            "r123456789c123456789 ".repeat(40_000)
        );
        assert_eq!(messages(&cells)[0], "cages[0].cells: more cells than the 625 of the board");
        // Numbers with as many divisors as there are, in cages that just cannot reach them.
        for cells in 11..=16 {
            let cage = format!(
                r#"{{"cells":"{}","operation":"*","target":897612484786617600}}"#,
                "r1c1 ".repeat(cells)
            );
            let many = format!(r#"{{"size": 25, "cages": [{}]}}"#, vec![cage; 625].join(","));
            let faults = from_str(&many).and_then(PuzzleDraft::check).expect_err("faults");
            assert_eq!(faults.list.len(), Faults::LIMIT);
        }
        let keys: Vec<String> = (0..50_000).map(|key| format!("\"{key}\":0")).collect();
        let faults = from_str(&format!("{{{}}}", keys.join(","))).expect_err("faults");
        assert_eq!((faults.list.len(), faults.more), (1000, 49_001));
    }
}
