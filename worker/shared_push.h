// worker/shared_push.h -- one shard's push of a shared round: what it is shown, and what it makes.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.h"
#include "core/rounds/open_scratch.h"
#include "core/rounds/sparse_rows.h"
#include "core/wire/message.h"
#include "rota/job.h"
#include "rota/push.h"
#include "rota/view.h"

namespace rota {

// The memory that open rounds' parts are made in, used again by one push after the other: as many of a table as pushes
// of its rounds have run at once.  Any thread may use it.
class ScratchPool {
 public:
  std::unique_ptr<OpenScratch> take(TableId id, const Table& table);
  void give_back(TableId id, std::unique_ptr<OpenScratch> scratch);

 private:
  std::mutex mutex_;
  std::map<TableId, std::vector<std::unique_ptr<OpenScratch>>> free_;  // guarded by mutex_
};

// Whether the pushes of all hosted shards are begun at once, and their ends taken at once: those of a dense table need
// no copies of their rows, and if it is small there is little to be kept until the parts are summed.
bool go_together(const Table& table);

struct SharedPush {
  // What it is shown.  Copies, so that a commit that comes meanwhile changes nothing that is being read; a view does
  // not change as long as a push runs.
  Task task;
  SharedRows rows;
  const Table& table;
  std::vector<double> values = {};  // row after row, unless they are in a view
  const TableView* view = nullptr;  // of a dense table
  ScratchPool* scratch = nullptr;   // of an open round

  // What it makes.
  std::vector<std::size_t> offsets = {};  // where each row's part begins, and where all end
  std::vector<double> parts = {};         // row after row
  SparseRows open_parts = {};             // in an open round, in place of these
  Bytes note = {};
  std::uint64_t items = 0;

  // Called on a compute thread.  `where` names the task.
  Status run(std::string_view plugin, const std::string& where, std::uint64_t seed, Push& push);
};

}  // namespace rota
