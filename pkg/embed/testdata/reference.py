"""Embed a JSON list of texts from stdin with onnxruntime, two threads, one text
a run, and print the seconds that took, loading apart: what BenchmarkSnapshot
compares with. Arguments: model.onnx tokenizer.json.

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


def embed(text):
    ids = numpy.array([tokenizer.encode(text).ids], dtype=numpy.int64)
    feed = {"input_ids": ids, "attention_mask": numpy.ones_like(ids), "token_type_ids": numpy.zeros_like(ids)}
    vector = session.run(["last_hidden_state"], feed)[0][0, 0]
    return vector / numpy.linalg.norm(vector)


texts = json.load(sys.stdin)
for text in texts[:4]:
    embed(text)
start = time.perf_counter()
for text in texts:
    embed(text)
print(time.perf_counter() - start)
