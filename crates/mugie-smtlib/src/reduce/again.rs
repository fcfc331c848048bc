//! Finds the places of an edit again after a cut.

use mugie_core::{Edit, Place, Spot, number_of};
use rustc_hash::FxHashMap;
use smt_syntax::NodeId;

use super::cut::{Cut, NEW};
use super::pair::SmtPair;
use crate::operators::{ABOUTS, ALL, Choice, Site, Sites, parsed, written};

/// The step from a pair to a smaller one.
pub(super) struct Again<'a> {
    pub(super) before: &'a SmtPair,
    pub(super) cut: &'a Cut,
    /// The smaller pair, without its edit.
    pub(super) after: &'a SmtPair,
}

impl Again<'_> {
    /// What is left of an edit; `None` if nothing is.
    pub(super) fn edit(&self, edit: &Edit) -> Option<Edit> {
        let operator = number_of(&ABOUTS, &edit.operator)?;
        let choice = self.before.seed.choice(operator, &edit.place).ok()?;
        let nodes: FxHashMap<u32, NodeId> =
            self.after.origins.iter().copied().zip(0..).filter(|(it, _)| *it != NEW).collect();
        let spot = |site: &Site| self.spot(operator, site, &nodes);
        let place = match &choice {
            Choice::Many(..) => return None,
            Choice::Swap(one, other) => {
                let unit = |command: u32| self.command(command, &nodes);
                Place::Swap {
                    swap: (self.after.seed.id(unit(*one)?), self.after.seed.id(unit(*other)?)),
                }
            }
            Choice::Order(order) => {
                let left = order.iter().filter_map(|it| self.command(*it, &nodes));
                let order: Vec<_> = left.map(|it| self.after.seed.id(it)).collect();
                (order.len() > 1).then_some(Place::Order { order })?
            }
            Choice::One(_) if ALL[operator].changes_scopes() => Place::Program { at: 0 },
            Choice::One(_) => {
                // A name stays what it is, although symbols get other numbers.
                let sites = ALL[operator].listed(self.before.base(), &choice);
                let several = Place::Several { several: vec![spot(sites.first()?)?] };
                several.as_single().unwrap_or(several)
            }
            Choice::Several(sites) => {
                let several: Vec<Spot> = sites.iter().filter_map(spot).collect();
                (!several.is_empty()).then_some(Place::Several { several })?
            }
        };
        Some(Edit::new(edit.operator.clone(), place, String::new()))
    }

    /// The new number of a command.
    fn command(&self, command: u32, nodes: &FxHashMap<u32, NodeId>) -> Option<u32> {
        let node = self.before.base().script.commands().get(command as usize)?.node;
        let node = nodes.get(self.before.origins.get(node as usize)?)?;
        u32::try_from(self.after.base().script.command_of(*node)?).ok()
    }

    /// The place of a node or symbol in the smaller query.
    fn spot(&self, operator: usize, site: &Site, nodes: &FxHashMap<u32, NodeId>) -> Option<Spot> {
        let (old, new) = (self.before.base(), self.after.base());
        let site = if let Sites::Symbols(_) = old.sites(operator) {
            let symbol = old.symbols.all().nth(site.at as usize)?;
            let symbol = new.symbols.find(old.symbols.name(symbol))?;
            Site { at: u32::try_from(symbol.index()).ok()?, how: site.how.clone() }
        } else {
            let at = *nodes.get(self.before.origins.get(site.at as usize)?)?;
            let how = match &site.how {
                None => None,
                Some(how) => {
                    let order = self.order(site.at, how)?;
                    // Nothing is said about a reversed list.
                    (!order.iter().rev().is_sorted()).then(|| written(&order))
                }
            };
            Site { at, how }
        };
        self.after.seed.spot(operator, &site)
    }

    /// What is left of an order of elements; `None` if that is in order.
    fn order(&self, list: NodeId, how: &str) -> Option<Vec<usize>> {
        let children: Vec<NodeId> = self.before.base().script.children(list).collect();
        // The name of a function is no element.
        let number = how.split(' ').count();
        let elements = children.get(children.len().checked_sub(number)?..)?;
        let is_kept = |it: &usize| !self.cut.removes(self.before.origins[elements[*it] as usize]);
        let kept: Vec<usize> = (0..number).filter(is_kept).collect();
        let order = parsed(how, number)?;
        let order: Vec<usize> = order.iter().filter_map(|it| kept.binary_search(it).ok()).collect();
        (!order.is_sorted()).then_some(order)
    }
}
