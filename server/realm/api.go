package realm

// This file is what the gate and the keeper use. (Sketch of signatures while the
// package is being written.)
