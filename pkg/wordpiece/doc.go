// Package wordpiece turns text into the token ids of uncased BERT models, the
// same ids as Hugging Face tokenizers 0.23.3 gives with their tokenizer.json.
//
// The steps, in the order of BertNormalizer, BertPreTokenizer and WordPiece
// (Devlin et al. 2018, and tokenization.py beside that paper):
//
//  1. "[CLS]", "[SEP]", "[MASK]", "[PAD]" and "[UNK]" in the text, in exactly this
//     case, become those tokens.
//  2. Controls go, white space becomes a blank, ideographs stand alone, letters
//     are decomposed (NFD) and lose their accents, capitals become small.
//  3. Blanks part words; each punctuation mark is a word.
//  4. A word becomes the longest pieces of the vocabulary from left to right, or
//     [UNK] as a whole if that fails or it has more than 100 characters.
//
// Steps 1 to 3, the cutting of long texts and of pairs are done here. Step 4 is
// sugarme/tokenizer's WordPiece model, which is exact; its normaliser and its
// truncation are not. unicode.txt holds what Hugging Face does with each code
// point: its tables are of several Unicode versions, and 624 code points would
// come out otherwise with those of Go 1.26.
//
// Step 1 means that a text can hold special tokens, and so can look to a model
// like the end of a text or the start of another. That is what the reference
// does, and parity is the contract here; whoever must not let a text do so
// removes those five strings first.
//
// Bytes that are not UTF-8 are dropped, as the reference drops U+FFFD.
package wordpiece
