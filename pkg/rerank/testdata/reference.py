"""Score pairs of a question and a passage with onnxruntime, two threads, one
pair a run, and print the seconds that took, loading apart: what BenchmarkPairs
compares with. Stdin: a JSON list, the question first. Arguments: model.onnx
tokenizer.json.

Needs onnxruntime==1.32.0 tokenizers==0.23.3 numpy.
"""
import json
import sys
import time

import numpy
import onnxruntime
import tokenizers

options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 2
options.inter_op_num_threads = 1
options.add_session_config_entry("session.x64quantprecision", "1")
session = onnxruntime.InferenceSession(sys.argv[1], options)
tokenizer = tokenizers.Tokenizer.from_file(sys.argv[2])
tokenizer.enable_truncation(512)


def score(question, text):
    pair = tokenizer.encode(question, text)
    feed = {
        "input_ids": numpy.array([pair.ids], dtype=numpy.int64),
        "attention_mask": numpy.ones((1, len(pair.ids)), dtype=numpy.int64),
        "token_type_ids": numpy.array([pair.type_ids], dtype=numpy.int64),
    }
    return session.run(["logits"], feed)[0]


question, *texts = json.load(sys.stdin)
for text in texts[:4]:
    score(question, text)
start = time.perf_counter()
for text in texts:
    score(question, text)
print(time.perf_counter() - start)
