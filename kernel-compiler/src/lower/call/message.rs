//! Lowering of panics and prints. The format string stays on the host; a thread transfers only the arguments.

use crate::ir::{Message, Piece, Span, Text};
use crate::source::{PANIC_ARGS, SiteKind};

use crate::lower::function::Lowering;
use crate::lower::value::Value;
use crate::lower::{Expr, StmtKind, Template};

impl Lowering<'_, '_> {
    /// `panic!(..)`
    pub(in crate::lower) fn panic(&mut self, message: &Message, span: Span) {
        let Some((text, args)) = self.message(message, PANIC_ARGS) else { return };
        if !args.is_empty() {
            self.output.templates.insert(Template::Panic);
        }
        let site = self.site(SiteKind::Panic(text), span);
        self.push(StmtKind::Fault { site, args });
    }

    /// `println!(..)`
    pub(in crate::lower) fn print(&mut self, message: &Message, span: Span) {
        let Some((text, args)) = self.message(message, usize::MAX) else { return };
        self.output.templates.insert(Template::Print);
        self.summary.writes = true;
        let site = self.record_site(SiteKind::Print(text), span);
        self.push(StmtKind::Print { site, args });
    }

    /// Returns a message and its arguments, at most `most` of which are recorded; `None` if one diverges.
    fn message(&mut self, message: &Message, most: usize) -> Option<(Text, Vec<Expr>)> {
        let Message { pieces, args } = message;
        let mut text = Text { pieces: Vec::new(), args: Vec::new() };
        let mut exprs = Vec::new();
        for (value, arg) in self.operands(args).into_iter().zip(args) {
            let Value::Scalar(expr, _) = self.load(value) else { return None };
            text.args.push(self.ty(*arg).target().clone());
            exprs.push(expr);
        }
        text.args.truncate(most);
        // Arguments that are not recorded may still fault.
        for expr in exprs.split_off(exprs.len().min(most)) {
            if self.can_fault(&expr) {
                self.push(StmtKind::Expr(expr));
            }
        }
        text.pieces = pieces
            .iter()
            .map(|piece| match piece {
                Piece::Number { position, format: _ } if *position as usize >= most => Piece::Text("(not kept)".into()),
                piece => piece.clone(),
            })
            .collect();
        Some((text, exprs))
    }
}
