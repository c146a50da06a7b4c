//! Partial variants: those without the checks that one launch proves, for launches that prove some of the checks that the proven
//! variant omits, but not all.

use std::ffi::c_void;
use std::sync::Arc;

use cumbia_kernel_compiler::{Source, Variant};

use super::build::Build;
use super::image;
use super::specialise::Specialised;
use super::variants::{Candidate, LaunchShape, Partial};
use super::{Request, load};
use crate::cuda;
use crate::error::Result;
use crate::layout::Layout;

impl Specialised {
    /// Returns the build of a launch. If the launch proves some of the checks that a variant omits, but not all, that is a variant
    /// without the checks that it proves, which is compiled here for the first such launch.
    ///
    /// # Safety
    ///
    /// As for [`Candidates::select`](super::variants::Candidates::select).
    #[cold]
    pub(crate) unsafe fn select_or_compile(
        &self,
        context: &Arc<cuda::Context>,
        layout: Layout,
        params: *const *mut c_void,
        shape: &LaunchShape,
    ) -> Result<Build> {
        let candidates = self.candidates(layout);
        // SAFETY: upheld by the caller, as below.
        let select = || unsafe { candidates.select(params, shape) };
        if let Some(build) = select() {
            return Ok(build);
        }
        let checked = self.request(layout, Build::CHECKED, None);
        if image::is_precompiled(checked, context.architecture()) {
            // Such a program does not expect to compile.
            candidates.close();
            return Ok(Build::CHECKED);
        }
        let _growing = candidates.growing.lock();
        // Another thread may have compiled it.
        if let Some(build) = select() {
            return Ok(build);
        }
        // SAFETY: as above.
        let Some((source, partial)) = (unsafe { self.partial(layout, params, shape) }) else {
            return Ok(Build::CHECKED);
        };
        let build = partial.candidate.build;
        let (variant, request) = (partial.candidate.variant, self.request(layout, Build::CHECKED, None));
        let Ok(module) = load(context, Request { variant, source: &source.text, ..request }, &source.entry) else {
            // The checked variant may be in a cache.
            candidates.close();
            return Ok(Build::CHECKED);
        };
        // These are empty: only this function fills them, one thread at a time.
        self.place(context, layout, build)?.get_or_init(|| module);
        self.sources[layout as usize][build.index()].get_or_init(|| source);
        candidates.add(partial);
        Ok(build)
    }

    /// Returns the variant without the checks that a launch proves.
    ///
    /// # Safety
    ///
    /// As for [`Candidates::select`](super::variants::Candidates::select).
    unsafe fn partial(
        &self,
        layout: Layout,
        params: *const *mut c_void,
        shape: &LaunchShape,
    ) -> Option<(Source, Partial)> {
        let candidates = self.candidates(layout);
        let (build, proven) = (candidates.next_partial()?, candidates.proven()?);
        // SAFETY: upheld by the caller, as below.
        let verdict = unsafe { proven.verdict(params, shape) };
        let write = |variant| {
            let options = self.compiler_options(layout, Build::CHECKED);
            let options = cumbia_kernel_compiler::Options { variant, groups: verdict, ..options };
            cumbia_kernel_compiler::write(&self.validated, &options)
        };
        if candidates.preferred() == Variant::Narrow {
            let source = write(Variant::Narrow);
            let predicate = source.predicate.clone();
            let candidate = predicate.and_then(|predicate| Candidate::new(Variant::Narrow, build, predicate));
            if let Some(candidate) = candidate
                && candidates.watches(&candidate)
                // SAFETY: as above.
                && unsafe { candidate.is_valid(params, shape) }
            {
                return Some((source, Partial { verdict, candidate }));
            }
        }
        Some((write(Variant::Proven), Partial { verdict, candidate: proven.with_groups(build, verdict) }))
    }
}
