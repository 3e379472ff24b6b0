#include "textflag.h"

// func dotRowsAVX2(q, rows *float32, d, n int, out *float32)
// Requires AVX2 and FMA; d and n are at least 1.
TEXT ·dotRowsAVX2(SB), NOSPLIT, $0-40
	MOVQ q+0(FP), SI
	MOVQ rows+8(FP), DI
	MOVQ d+16(FP), R8
	MOVQ n+24(FP), R9
	MOVQ out+32(FP), R10

row:
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	MOVQ   SI, R11
	MOVQ   R8, CX
	SUBQ   $32, CX
	JLT    rest

loop32:
	// The hardware prefetcher stops at each 4 KiB page; this reads past it.
	PREFETCHT0  4096(DI)
	PREFETCHT0  4160(DI)
	VMOVUPS     (R11), Y4
	VMOVUPS     32(R11), Y5
	VMOVUPS     64(R11), Y6
	VMOVUPS     96(R11), Y7
	VFMADD231PS (DI), Y4, Y0
	VFMADD231PS 32(DI), Y5, Y1
	VFMADD231PS 64(DI), Y6, Y2
	VFMADD231PS 96(DI), Y7, Y3
	ADDQ        $128, R11
	ADDQ        $128, DI
	SUBQ        $32, CX
	JGE         loop32

rest:
	ADDQ $24, CX // d mod 32, less 8
	JLT  sum

loop8:
	VMOVUPS     (R11), Y4
	VFMADD231PS (DI), Y4, Y0
	ADDQ        $32, R11
	ADDQ        $32, DI
	SUBQ        $8, CX
	JGE         loop8

sum:
	VADDPS       Y1, Y0, Y0
	VADDPS       Y3, Y2, Y2
	VADDPS       Y2, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDPS       X1, X0, X0
	VHADDPS      X0, X0, X0
	VHADDPS      X0, X0, X0
	ADDQ         $8, CX // d mod 8
	JZ           store

loop1:
	VMOVSS      (R11), X4
	VFMADD231SS (DI), X4, X0
	ADDQ        $4, R11
	ADDQ        $4, DI
	DECQ        CX
	JNZ         loop1

store:
	VMOVSS X0, (R10)
	ADDQ   $4, R10
	DECQ   R9
	JNZ    row
	VZEROUPPER
	RET
