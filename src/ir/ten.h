/* ten.h: the ten dialect: attributes and custom calls of our own that pass from one stage to the next. A name is
 * written here once; stages use the constant. */
#ifndef TEN_IR_TEN_H
#define TEN_IR_TEN_H

/* Of a reduce_window: its sums may be wider than its elements (transform/pass/scan.c). */
#define TEN_WIDE "tenfold.wide"
/* Of a dot_general: zeros of its constant matrix are not weights, whatever they are multiplied with
 * (transform/pass/taps.c). */
#define TEN_TAPS "tenfold.taps"

#endif
