// Tests line_fit in one process and one thread (rota/testing/serial_host.h), so that it can be debugged:
//   gdb build/line_fit_test
#include <rota/testing/serial_host.h>

#include <fstream>
#include <iostream>

int main() {
  // Points on y = 3 + 2 x: all sums are whole numbers, so that the fit is exact.
  std::ofstream points("line_fit_test.txt");
  for (int x = -50; x < 50; ++x) points << x << ' ' << 3 + 2 * x << '\n';
  points.close();

  const rota::Plugin& app = rota::linked_plugin();
  rota::SerialHost host(app, rota::serial_job(app, {{"shards", "4"}, {"epochs", "3"}}, {"line_fit_test.txt"}));
  host.run();
  const std::vector<double> line = host.row(0, 0);
  std::cout << "y = " << line[0] << " + " << line[1] << " x, squared errors " << host.evaluate()[0] << '\n';
  return line[0] == 3 && line[1] == 2 && host.evaluate()[0] == 0 ? 0 : 1;
}
