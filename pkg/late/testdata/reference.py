"""Writes maxsim.jsonl: MaxSim in float by onnxruntime 1.32.0 and tokenizers 0.23.3.

Usage: python reference.py MODEL_FOLDER > maxsim.jsonl
MODEL_FOLDER holds model.onnx and tokenizer.json of answerai-colbert-small-v1.
"""
import json
import sys

import numpy as np
import onnxruntime as ort
from tokenizers import Tokenizer

options = ort.SessionOptions()
options.intra_op_num_threads = 1
options.add_session_config_entry("session.x64quantprecision", "1")
session = ort.InferenceSession(sys.argv[1] + "/model.onnx", options)
tokenizer = Tokenizer.from_file(sys.argv[1] + "/tokenizer.json")
tokenizer.no_padding()
tokenizer.no_truncation()


def run(ids, mask):
    feed = {"input_ids": [ids], "attention_mask": [mask], "token_type_ids": [[0] * len(ids)]}
    v = session.run(["last_hidden_state"], {k: np.array(x, np.int64) for k, x in feed.items()})[0][0]
    return v / np.linalg.norm(v, axis=1, keepdims=True)


def tokens(text, marker):
    ids = tokenizer.encode(text).ids
    return [101, marker] + ids[1:-1][:509] + [102]


def query(text, padding):
    ids = tokens(text, 1)
    pad = 0 if padding == "none" else max(0, 32 - len(ids))
    return run(ids + [103] * pad, [1] * len(ids) + [int(padding == "attended")] * pad)


QUERIES = [
    "how do I stop the daemon?",
    "Zürich, naïve café",
    "",
    "a question that runs on and on, far past the thirty-two tokens that queries are padded to, since "
    "nobody told the person who asks it that short questions do just as well, or better",
]
PASSAGES = [
    "Run mobium stop to end the daemon.",
    "The daemon stops by itself when no session is open for ten minutes.",
    "Bananas are yellow.",
    "x",
    "Setup > Daemon\n\n" + "A tap under an alert is refused. " * 80,
]
for padding in ("masked", "attended", "none"):
    for q in QUERIES:
        Q = query(q, padding)
        for p in PASSAGES:
            ids = tokens(p, 2)
            score = float((Q @ run(ids, [1] * len(ids)).T).max(1).sum())
            print(json.dumps({"padding": padding, "query": q, "text": p, "tokens": [len(Q), len(ids)], "score": score}))
