//! Kernels with `prove`: every check has to be proved, for some launches when the kernel is compiled, and for each launch
//! when it is validated.

use std::ffi::c_void;

use cumbia_kernel_compiler::{LaunchCondition, LaunchSymbol, Proof, Relation, Variant};

use super::build::Build;
use super::specialise::Specialised;
use super::variants::{Candidate, LaunchShape, ProofCondition};
use crate::error::{Check, Checks, CompileError, FailedCondition, LaunchError, Position, Result};
use crate::layout::Layout;

impl Specialised {
    /// Returns the checks of launches whose views are contiguous.
    pub(crate) fn checks(&self) -> Checks {
        self.checks_of(Layout::Contiguous)
    }

    fn checks_of(&self, layout: Layout) -> Checks {
        self.described(self.proofs(layout))
    }

    fn described(&self, found: Vec<cumbia_kernel_compiler::Check>) -> Checks {
        Checks::new(self.instance, self.options.bounds_checks, found)
    }

    /// Returns an error if the kernel has `prove`, and a check is kept in every launch.
    pub(crate) fn require_provable(&self, layout: Layout) -> Result<()> {
        if self.options.prove {
            self.proof(layout)?;
        }
        Ok(())
    }

    /// Returns an error if the kernel has `prove`, and a check of this launch is not proved.
    ///
    /// # Safety
    ///
    /// `params` are pointers to the parameters of the kernel, in order.
    pub(crate) unsafe fn require_proof(
        &self,
        layout: Layout,
        params: *const *mut c_void,
        shape: &LaunchShape,
    ) -> Result<()> {
        if !self.options.prove {
            return Ok(());
        }
        let Some(condition) = self.proof(layout)? else { return Ok(()) };
        // SAFETY: upheld by the caller.
        let values = unsafe { condition.candidate.values(params, shape) };
        if condition.is_satisfied(&values) { Ok(()) } else { Err(self.failed(layout, condition, &values).into()) }
    }

    /// Returns the condition under which all checks are proved; `None` if they are in every launch.
    fn proof(&self, layout: Layout) -> Result<Option<&ProofCondition>, CompileError> {
        let proof = self.proof[layout as usize].get_or_init(|| {
            let found = self.proofs(layout);
            let mut groups: Vec<u32> = found.iter().filter_map(|check| check.group).collect();
            groups.sort_unstable();
            groups.dedup();
            let kept: Vec<Check> = self.described(found).checks.into_iter().filter(Check::is_kept).collect();
            if !kept.is_empty() {
                return Err(kept);
            }
            let predicate = self.predicate(layout);
            let candidate = predicate
                .and_then(|predicate| Candidate::new(Variant::Proven, Build::Of(Variant::Proven), predicate.clone()));
            Ok(candidate.map(|candidate| ProofCondition { candidate, groups }))
        });
        match proof {
            Ok(condition) => Ok(condition.as_ref()),
            Err(kept) => Err(CompileError::Unproven { kernel: self.info.name.to_owned(), kept: kept.clone() }),
        }
    }

    /// Returns the error of a launch for which the predicate does not hold.
    #[cold]
    fn failed(&self, layout: Layout, condition: &ProofCondition, values: &[i128]) -> LaunchError {
        let predicate = condition.candidate.predicate();
        let with_values = |symbols: &[LaunchSymbol]| {
            let quantities = self.quantities(layout, symbols).into_iter();
            let value = |symbol| predicate.symbols().iter().position(|of| of == symbol).map(|at| values[at]);
            quantities
                .zip(symbols)
                .filter_map(|(quantity, symbol)| Some((quantity, value(symbol)?)))
                .collect::<Vec<_>>()
        };
        let mut failed: Vec<FailedCondition> = Vec::new();
        if let Some((symbol, assumed)) = predicate.excluded(values) {
            let values = with_values(&[symbol]);
            if let Some((quantity, value)) = values.first() {
                let (relation, limit) = if value > assumed.end() {
                    (Relation::LessOrEqual, *assumed.end())
                } else {
                    (Relation::GreaterOrEqual, *assumed.start())
                };
                let condition =
                    LaunchCondition::Compare { left: quantity.clone().into(), relation, right: limit.into() };
                failed.push(FailedCondition { condition, values, checks: Vec::new() });
            }
        } else {
            let verdict = predicate.verdict(values);
            for check in self.proofs(layout) {
                let Proof::AtLaunch(condition) = check.proof else { continue };
                if check.group.is_some_and(|group| verdict.has(group)) {
                    continue;
                }
                let place = (check.kind, Position::from(check.site));
                match failed.iter_mut().find(|known| known.condition == condition) {
                    Some(known) if known.checks.contains(&place) => {}
                    Some(known) => known.checks.push(place),
                    None => {
                        let values = with_values(&check.symbols);
                        failed.push(FailedCondition { condition, values, checks: vec![place] });
                    }
                }
            }
        }
        LaunchError::Unproven { kernel: self.info.name, failed }
    }
}
