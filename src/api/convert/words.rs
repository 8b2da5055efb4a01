//! Enumerations: values of the engine and of the messages, side by side.

use crate::api::proto as pb;
use crate::engine::budget::Stopped;
use crate::engine::generate::Symmetry;
use crate::engine::logic::Level;
use crate::engine::logic::path::PathEnd;
use crate::engine::rate::Scale;
use crate::engine::search::{Engine, Verdict};
use crate::engine::solve::Mode;
use crate::puzzle::{Fault, Faults, HouseKind, Operation};

/// Makes the two directions of an enumeration from one list.
macro_rules! pairs {
    ($write:ident, $read:ident: $value:ident, $message:ident { $($one:ident = $other:ident,)+ }) => {
        #[doc = concat!("The message's word for a value of `", stringify!($value), "`.")]
        pub fn $write(value: $value) -> pb::$message {
            match value { $($value::$one => pb::$message::$other,)+ }
        }

        #[doc = concat!("The reverse of [`", stringify!($write), "`]; none for what is not specified or not known.")]
        pub fn $read(message: i32) -> Option<$value> {
            match pb::$message::try_from(message) {
                $(Ok(pb::$message::$other) => Some($value::$one),)+
                Ok(pb::$message::Unspecified) | Err(_) => None,
            }
        }
    };
}

pairs!(write_operation, read_operation: Operation, Operation {
    Add = Add, Subtract = Subtract, Multiply = Multiply, Divide = Divide, Equal = Equal, Unknown = Unknown,
    Free = Free,
});

pairs!(write_house_kind, read_house_kind: HouseKind, HouseKind {
    Row = Row, Column = Column, Box = Box, Region = Region, Diagonal = Diagonal, Window = Window,
});

pairs!(write_level, read_level: Level, Level {
    Easy = Easy, Medium = Medium, Hard = Hard, Unfair = Unfair, Extreme = Extreme,
});

pairs!(write_symmetry, read_symmetry: Symmetry, Symmetry {
    None = None, HalfTurn = HalfTurn, QuarterTurn = QuarterTurn, LeftRight = LeftRight, TopBottom = TopBottom,
    FallingDiagonal = FallingDiagonal, RisingDiagonal = RisingDiagonal,
});

pairs!(write_mode, read_mode: Mode, SolveMode {
    Full = Full, LogicOnly = LogicOnly, SearchOnly = SearchOnly,
});

/// A known value, the value meant by zero, or a fault.
pub fn read_or<T>(
    message: i32,
    unspecified: T,
    read: impl Fn(i32) -> Option<T>,
    field: &str,
    faults: &mut Faults,
) -> Option<T> {
    if message == 0 {
        return Some(unspecified);
    }
    let value = read(message);
    if value.is_none() {
        faults.push(Fault::new(field, format!("{message} is not one of its values")));
    }
    value
}

/// The engine of this name, the usual one if it is empty, or a fault.
pub fn read_engine(name: &str, field: &str, faults: &mut Faults) -> Option<Engine> {
    if name.is_empty() {
        return Some(Engine::default());
    }
    let engine = Engine::from_name(name);
    if engine.is_none() {
        let names: Vec<&str> = Engine::ALL.iter().map(|engine| engine.search().name()).collect();
        let message = format!("there is no engine `{}`, but {}", shorten(name), names.join(", "));
        faults.push(Fault::new(field, message));
    }
    engine
}

/// The scale of this name, Sleuth's own if it is empty, or a fault.
pub fn read_scale(name: &str, field: &str, faults: &mut Faults) -> Option<Scale> {
    if name.is_empty() {
        return Some(Scale::default());
    }
    let scale = Scale::from_name(name);
    if scale.is_none() {
        let names = Scale::ALL.map(Scale::name).join(", ");
        faults.push(Fault::new(field, format!("there is no scale `{}`, but {names}", shorten(name))));
    }
    scale
}

/// How many solutions there are.
pub fn write_verdict(verdict: Verdict) -> pb::Verdict {
    let (kind, count, complete, nodes) = match verdict {
        Verdict::None => (pb::VerdictKind::None, 0, true, 0),
        Verdict::One => (pb::VerdictKind::One, 1, true, 0),
        Verdict::Several { count, complete } => (pb::VerdictKind::Several, count, complete, 0),
        Verdict::GaveUp { nodes } => (pb::VerdictKind::GaveUp, 0, false, nodes),
    };
    pb::Verdict { kind: kind.into(), count, complete, nodes }
}

/// Why work was broken off.
pub fn write_stopped(stopped: Option<Stopped>) -> pb::StopReason {
    match stopped {
        None => pb::StopReason::Unspecified,
        Some(Stopped::Cancelled) => pb::StopReason::Cancelled,
        Some(Stopped::Exhausted) => pb::StopReason::WorkLimit,
    }
}

/// Where a path ended.
pub fn write_path_end(end: Option<PathEnd>) -> pb::PathEnd {
    match end {
        None => pb::PathEnd::Unspecified,
        Some(PathEnd::Solved) => pb::PathEnd::Solved,
        Some(PathEnd::Stalled) => pb::PathEnd::Stalled,
        Some(PathEnd::Contradiction) => pb::PathEnd::Contradiction,
        Some(PathEnd::Stopped(_)) => pb::PathEnd::Stopped,
    }
}

/// At most 40 characters of what was sent, to be quoted in a message.
pub fn shorten(text: &str) -> String {
    let mut short: String = text.chars().take(40).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_round_trip() {
        assert!(Operation::ALL.iter().all(|&one| read_operation(write_operation(one).into()) == Some(one)));
        assert!(HouseKind::ALL.iter().all(|&one| read_house_kind(write_house_kind(one).into()) == Some(one)));
        assert!(Level::ALL.iter().all(|&one| read_level(write_level(one).into()) == Some(one)));
        assert!(Symmetry::ALL.iter().all(|&one| read_symmetry(write_symmetry(one).into()) == Some(one)));
        assert_eq!(read_level(0), None);
        assert_eq!(read_level(99), None);
    }

    #[test]
    fn unknown_words_are_faults() {
        let mut faults = Faults::none();
        assert_eq!(read_engine("", "engine", &mut faults), Some(Engine::General));
        assert_eq!(read_engine("warp", "engine", &mut faults), None);
        assert_eq!(read_or(7, Mode::Full, read_mode, "mode", &mut faults), None);
        assert_eq!(read_scale("", "scale", &mut faults), Some(Scale::Sleuth));
        assert_eq!(read_scale("richter", "scale", &mut faults), None);
        assert_eq!(faults.list.len(), 3, "{faults}");
    }
}
