; The query behind brittle.bpl, written by hand: the element after a larger one is above it. Neither quantifier has a
; pattern, so Z3 chooses terms to match by itself, and its choice depends on the order of the two.
(set-option :auto_config false)
(set-option :smt.mbqi false)
(set-option :smt.case_split 3)
(set-option :smt.delay_units true)
(set-option :smt.qi.eager_threshold 100)
(declare-sort Row 0)
(declare-fun above (Int) Int)
(declare-fun at (Row Int) Int)
(declare-const row Row)
(assert
  (forall ((x Int) (y Int))
    (! (=> (> x y) (> (above x) y)) :qid above)))
(assert
  (forall ((i Int))
    (! (=> (<= 0 i) (< (at row i) (at row (+ i 1)))) :qid ascending)))
(declare-const i Int)
(push 1)
(assert (not (=> (>= i 0) (> (above (at row (+ i 1))) (at row i)))))
(check-sat)
(pop 1)
