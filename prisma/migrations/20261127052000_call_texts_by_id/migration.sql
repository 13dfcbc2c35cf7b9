-- The oldest are found by their ids, which are in the order of time.
DROP INDEX "model_call_texts_at_idx";
