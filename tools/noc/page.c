// Writes the HTML page with all plots and numbers.
#include "support/page.h"
#include "support/svg.h"
#include "tools/noc/plot.h"
#include <inttypes.h>
#include <stdlib.h>

static void write_config(const struct config *config, FILE *to)
{
    char *text = NULL;
    size_t length;
    FILE *memory = open_memstream(&text, &length);
    if (!memory)
        return;
    config_print(config, memory);
    if (!fclose(memory))
        svg_escaped(to, text);
    free(text);
}

static void write_table(const struct sweep *sweep, FILE *to)
{
    fputs("<div class=\"wide\"><table>\n<tr><th>load</th><th>offered</th><th>accepted</th>"
          "<th>latency</th><th>50 %</th><th>99 %</th><th>wait</th><th>routers</th>"
          "<th>packets</th><th>stable</th></tr>\n",
          to);
    for (uint32_t i = 0; i < sweep->points.n; i++) {
        const struct measured *m = &sweep->points.v[i];
        fprintf(to,
                "<tr><td>%.4g</td><td>%.4f</td><td>%.4f</td><td>%.2f</td><td>%" PRIu64
                "</td><td>%" PRIu64 "</td><td>%.2f</td><td>%.3f</td><td>%" PRIu64
                "</td><td>%s</td></tr>\n",
                m->load, measured_offered(m), measured_accepted(m), measured_latency(m),
                measured_quantile(m, 0.5), measured_quantile(m, 0.99), measured_wait(m),
                measured_routers(m), m->packets, m->stable ? "yes" : "no");
    }
    fputs("</table></div>\n", to);
}

void plot_page(const struct measure_head *head, const struct sweep *sweep, struct arena *arena,
               FILE *to)
{
    char title[PLOT_TITLE];
    const struct measured *shown = &sweep->points.v[sweep->best];
    page_begin(to, plot_title(title, head));
    if (sweep->points.n > 1) {
        fputs("<h2>Latency and load</h2>\n<div class=\"wide\">\n", to);
        plot_sweep(head, sweep, to);
        fputs("</div>\n", to);
    }
    fprintf(to, "<h2>Channels at a load of %.4g</h2>\n<div class=\"wide\">\n", shown->load);
    plot_heatmap(head, shown, arena, to);
    fputs("</div>\n<h2>Numbers</h2>\n", to);
    write_table(sweep, to);
    fprintf(to,
            "<p>Latency in cycles, from creation to the arrival of the tail; wait: the part of it "
            "before the head enters the network. Seed %" PRIu64 ", %" PRIu64
            " cycles after %" PRIu64 " cycles of warm-up.</p>\n<h2>Configuration</h2>\n<pre>",
            head->plan->seed, head->plan->cycles, head->plan->warmup);
    write_config(head->config, to);
    fputs("</pre>\n", to);
    page_end(to);
}
