package onnx

import (
	"runtime"
	"strings"

	"golang.org/x/sys/cpu"
)

// VNNI reports whether the CPU multiplies int8 without saturation in one
// instruction. The reference values of the tests were made on such a CPU;
// elsewhere long inputs come out slightly different (cosine 0.998 at worst).
func VNNI() bool { return cpu.X86.HasAVX512VNNI || cpu.X86.HasAVXVNNI }

// Build names what, beside a model, decides the bits of its output: platform,
// the CPU features its kernels are chosen by, and the session options that
// touch precision. It belongs into every cache key, next to the sha256 of the
// model and, as library, that of the runtime (pkg/model's Library.SHA256).
func Build(library string) string {
	features := []struct {
		name string
		has  bool
	}{
		{"avx2", cpu.X86.HasAVX2}, {"avx512", cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW},
		{"avxvnni", cpu.X86.HasAVXVNNI}, {"avx512vnni", cpu.X86.HasAVX512VNNI},
		{"amx", cpu.X86.HasAMXInt8}, {"dotprod", cpu.ARM64.HasASIMDDP}, {"i8mm", cpu.ARM64.HasI8MM},
	}
	parts := []string{runtime.GOOS, runtime.GOARCH}
	for _, f := range features {
		if f.has {
			parts = append(parts, f.name)
		}
	}
	return strings.Join(append(parts, "precise", library), " ")
}
