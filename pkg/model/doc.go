// Package model finds the model files and the ONNX Runtime library on disk and
// checks them by sha256 before anyone loads them.
//
// What they are, where they come from and what they hash to stands in
// models.lock, which is embedded; scripts/fetch-models fills the folder by it.
// The layout below that folder:
//
//	bge-small-en-v1.5/{model.onnx,tokenizer.json}          bi-encoder
//	ms-marco-MiniLM-L-12-v2/{model.onnx,tokenizer.json}    cross-encoder
//	answerai-colbert-small-v1/{model.onnx,tokenizer.json}  late interaction
//	onnxruntime-1.32.0/libonnxruntime.so                   .dylib on macOS, onnxruntime.dll on Windows
//
// Invariants:
//   - A path handed out by [Store.Open] or [Store.Runtime] was read to its end
//     just before, and had the size and sha256 of the lock.
//   - Only .onnx, .json, .so, .dylib and .dll are known, each by its first bytes
//     too. Pickles are refused, since loading one runs its code.
//   - Nothing is downloaded or written here.
//
// Whoever can write to the folder between the check and the load can still
// swap a file; the folder is the user's own, as the binary is.
package model
