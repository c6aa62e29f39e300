// One static program for machines that have nothing of ours: yardmaster without a window, and yardctl where it is called
// that. Each is compiled from its own main.cpp, with another name for main (installer/CMakeLists.txt).
#include <string_view>

int yardmasterMain(int argc, char** argv);
int yardctlMain(int argc, char** argv);

int main(int argc, char** argv) {
    const std::string_view called = argc > 0 ? argv[0] : "";
    return called.substr(called.rfind('/') + 1) == "yardctl" ? yardctlMain(argc, argv) : yardmasterMain(argc, argv);
}
