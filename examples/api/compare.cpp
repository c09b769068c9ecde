// Runs vecadd of a PTX file without offloading and with it, and prints the cycles of both.
//
//     c++ compare.cpp $(pkg-config --cflags --libs libptxoffload) -o compare && ./compare in.ptx
#include <ptxoffload/ptxoffload.h>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

template <class T> using owned = std::unique_ptr<T, void (*)(T *)>;

void show(void *, const ptxoffload_diagnostic *one)
{
    std::fprintf(stderr, "%s:%u: %s [%s]\n", one->file ? one->file : "", one->line, one->message,
                 one->rule);
}

void need(ptxoffload_status status)
{
    if (status != PTXOFFLOAD_OK)
        throw std::runtime_error("libptxoffload returns " + std::to_string(status));
}

double cycles(ptxoffload_program *program, const char *policy, uint32_t count)
{
    ptxoffload_device_options options;
    ptxoffload_device_options_init(&options, sizeof options);
    options.policy = policy;
    ptxoffload_device *made;
    need(ptxoffload_device_of(program, &options, &made));
    owned<ptxoffload_device> device(made, ptxoffload_device_free);
    const std::vector<float> ones(count, 1);
    uint64_t buffers[3];
    for (uint64_t &buffer : buffers) {
        need(ptxoffload_allocate(made, count * sizeof(float), &buffer));
        need(ptxoffload_write(made, buffer, ones.data(), count * sizeof(float)));
    }
    const void *arguments[] = {&buffers[0], &buffers[1], &buffers[2], &count};
    ptxoffload_launch launch = PTXOFFLOAD_LAUNCH;
    launch.kernel = "vecadd";
    launch.grid[0] = count / 256;
    launch.block[0] = 256;
    launch.arguments = arguments;
    launch.argument_count = 4;
    need(ptxoffload_run(made, &launch));
    double value;
    need(ptxoffload_statistic(made, nullptr, "machine.cycles", &value));
    return value;
}

} // namespace

int main(int count, char **arguments)
try {
    std::ifstream file(count == 2 ? arguments[1] : "");
    const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    owned<ptxoffload_context> context(ptxoffload_context_new(), ptxoffload_context_free);
    ptxoffload_set_diagnose(context.get(), show, nullptr);
    ptxoffload_input *input;
    need(ptxoffload_open(context.get(), arguments[count - 1], text.data(), text.size(), &input));
    owned<ptxoffload_input> with_input(input, ptxoffload_input_free);
    ptxoffload_program *program;
    need(ptxoffload_analyse(input, 0, nullptr, &program));
    owned<ptxoffload_program> with_program(program, ptxoffload_program_free);
    for (const char *policy : {"baseline", "omni"})
        std::printf("%s %.0f\n", policy, cycles(program, policy, 65536));
    return 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
