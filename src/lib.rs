//! Cumbia
