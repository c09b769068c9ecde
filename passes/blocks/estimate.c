#include "passes/blocks/estimate.h"

static unsigned channels(double tx, double rx)
{
    return (tx < 0 ? SAVES_TX : 0) | (rx < 0 ? SAVES_RX : 0);
}

static struct block_estimate estimate_of(enum block_kind kind, enum cost_model cost,
                                         const struct bandwidth *bw)
{
    struct block_estimate to = {
        .cost = cost,
        .in = (double)bw->in / (double)bw->scale,
        .out = (double)bw->out / (double)bw->scale,
        .saved_tx = (double)bw->saved_tx / (double)bw->scale,
        .saved_rx = (double)bw->saved_rx / (double)bw->scale,
        .threshold = bandwidth_threshold(bw->in + bw->out, bw->saved_tx + bw->saved_rx),
        .threshold_tx = bandwidth_threshold(bw->in, bw->saved_tx),
        .threshold_rx = bandwidth_threshold(bw->out, bw->saved_rx),
    };
    if (kind != BLOCK_LOOP) { // there is no second iteration
        to.threshold = to.threshold == 1;
        to.threshold_tx = to.threshold_tx == 1;
        to.threshold_rx = to.threshold_rx == 1;
    }
    return to;
}

// Evaluates at the measured mean instead of the threshold; not in the paper's model.
static void evaluate_mean(struct block_estimate *to, const struct bandwidth *bw, double mean)
{
    to->candidate = to->threshold && mean >= (double)to->threshold;
    to->conditional &= to->candidate;
    to->weight = -(bandwidth_tx(bw, mean) + bandwidth_rx(bw, mean));
}

struct block_estimate block_evaluate(const struct block_terms *terms, enum cost_model cost,
                                     const struct bandwidth *bw)
{
    bool constant = terms->trip == TRIP_CONSTANT, mean = terms->mean && cost == COST_REFINED;
    struct block_estimate to = estimate_of(terms->kind, cost, bw);
    double judged_at = 1;
    to.candidate = to.threshold == 1;
    if (constant) {
        judged_at = (double)terms->trips;
        to.candidate = to.threshold && terms->trips >= to.threshold;
    } else if (terms->trip == TRIP_COUNTED && to.threshold) {
        judged_at = (double)to.threshold;
        to.candidate = true;
        to.conditional = to.threshold > 1 || terms->may_be_zero;
    } else if (mean && to.threshold) {
        judged_at = (double)to.threshold;
    }
    to.bw_tx = bandwidth_tx(bw, constant ? judged_at : 1);
    to.bw_rx = bandwidth_rx(bw, constant ? judged_at : 1);
    to.at_tx = bandwidth_tx(bw, judged_at);
    to.at_rx = bandwidth_rx(bw, judged_at);
    to.saves = channels(to.at_tx, to.at_rx);
    to.weight = -(to.at_tx + to.at_rx);
    if (mean)
        evaluate_mean(&to, bw, *terms->mean);
    return to;
}
