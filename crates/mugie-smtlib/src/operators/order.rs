//! Writes the commands of a query in another order.

use mugie_core::Strength;

use super::{Choice, SOME};
use crate::base::{Base, Part};
use crate::program::describe;
use crate::random::Stream;

/// Writes the commands in an order. Commands that stay together are copied together.
pub(super) fn write(base: &Base, order: &[u32], out: &mut Vec<u8>) {
    let text = base.text();
    out.reserve(text.len());
    let range = |command: u32| {
        let node = base.script.node(base.script.commands()[command as usize].node);
        (node.start as usize, node.end as usize)
    };
    let mut run: Option<(u32, u32)> = None;
    let mut copy = |(first, last): (u32, u32)| {
        out.extend_from_slice(&text[range(first).0..range(last).1]);
        out.push(b'\n');
    };
    for &command in order {
        run = Some(match run {
            Some((first, last)) if last + 1 == command => (first, command),
            Some(before) => {
                copy(before);
                (command, command)
            }
            None => (command, command),
        });
    }
    run.map(copy).unwrap_or_default();
}

/// The order after an exchange of two commands.
pub(super) fn swapped(base: &Base, one: u32, other: u32) -> Vec<u32> {
    let mut order: Vec<u32> = (0..).take(base.script.commands().len()).collect();
    order.swap(one as usize, other as usize);
    order
}

/// An exchange of two commands in words.
pub(super) fn swap_words(base: &Base, one: u32, other: u32) -> String {
    format!("swap {} with {}", describe(base, one), describe(base, other))
}

/// The order after some commands took each other's places.
pub(super) fn exchanged(base: &Base, commands: &[u32]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..).take(base.script.commands().len()).collect();
    let mut places = commands.to_vec();
    places.sort_unstable();
    for (place, command) in places.iter().zip(commands) {
        order[*place as usize] = *command;
    }
    order
}

/// Whether commands are different ones of a kind, and each stays in its segment when they take each
/// other's places.
pub(super) fn stays_in_segments(base: &Base, commands: &[u32], part: Part) -> bool {
    let mut places = commands.to_vec();
    places.sort_unstable();
    let is_one = |command: u32| base.parts.get(command as usize) == Some(&part);
    places.windows(2).all(|two| two[0] < two[1])
        && places.iter().zip(commands).all(|(place, command)| {
            is_one(*command) && base.segments[*place as usize] == base.segments[*command as usize]
        })
}

/// Shuffles the commands of each group among their places, or exchanges some of them.
pub(super) fn shuffled(base: &Base, groups: &[Vec<u32>], choice: &Choice) -> Vec<u32> {
    let mut order: Vec<u32> = (0..).take(base.script.commands().len()).collect();
    let Choice::Many(strength, random) = *choice else { return order };
    let total: usize = groups.iter().map(Vec::len).sum();
    for (number, group) in (0u64..).zip(groups) {
        let mut stream = Stream::of(random, number);
        let mut moved = group.clone();
        if strength == Strength::All {
            stream.shuffle(&mut moved);
        } else {
            // In proportion to the group; in a query of small groups, one exchange in some of them.
            let share = group.len().div_ceil(SOME);
            let is_small = group.len() < SOME && total >= SOME;
            let swaps = if is_small && stream.below(SOME) > group.len() { 0 } else { share };
            for _ in 0..swaps {
                let (one, other) = (stream.below(moved.len()), stream.below(moved.len()));
                moved.swap(one, other);
            }
        }
        for (place, command) in group.iter().zip(moved) {
            order[*place as usize] = command;
        }
    }
    order
}
