// Tests small_mf in one process and one thread: that it learns, and that save() and restore() are complete.
#include <rota/testing/serial_host.h>

#include <fstream>
#include <iostream>

int main() {
  // A rating is the product of a number of the user and one of the item: a matrix of rank 1.
  std::ofstream ratings("small_mf_test.txt");
  for (int u = 0; u < 20; ++u)
    for (int i = 0; i < 15; ++i) ratings << u << ' ' << i << ' ' << (u % 5 + 1) * (i % 3 + 1) << '\n';
  ratings.close();

  const rota::Plugin& app = rota::linked_plugin();
  const rota::Job job = rota::serial_job(app, {{"rank", "2"}, {"penalty", "0"}}, {"small_mf_test.txt"});
  rota::SerialHost straight(app, job), resumed(app, job);
  straight.run_epoch();
  const double first = straight.evaluate()[0];
  resumed.restore(straight.save());
  straight.run_epochs(100);
  resumed.run_epochs(100);
  std::cout << "squared errors: " << first << ", then " << straight.evaluate()[0] << '\n'
            << "model: " << straight.model_hash() << ", resumed: " << resumed.model_hash() << '\n';
  return straight.evaluate()[0] < first / 10 && straight.model_hash() == resumed.model_hash() ? 0 : 1;
}
