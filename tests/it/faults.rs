//! What dies, and what must survive it.
