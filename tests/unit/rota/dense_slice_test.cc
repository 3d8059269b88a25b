#include "rota/dense_slice.h"

namespace rota {
namespace {

TEST(DenseSlice, RowsAreNeighboursThatDoNotOverlap) {
  DenseSlice<double> slice(2, 3);
  slice.row(0)[2] = 1;
  slice.row(1)[0] = 2;
  EXPECT_EQ(std::vector(slice.numbers().begin(), slice.numbers().end()), (std::vector<double>{0, 0, 1, 2, 0, 0}));
}

TEST(DenseSlice, ComesBackFromItsBytes) {
  DenseSlice<std::uint32_t> slice(2, 2);
  for (std::size_t i = 0; i < 2; ++i)
    for (std::uint32_t& number : slice.row(i)) number = static_cast<std::uint32_t>(&number - slice.row(0).data()) + 5;
  Writer out;
  slice.encode(out);
  DenseSlice<std::uint32_t> copy(2, 2);
  Reader in(out.view());
  copy.decode(in);
  EXPECT_TRUE(in.done());
  EXPECT_TRUE(std::equal(copy.numbers().begin(), copy.numbers().end(), slice.numbers().begin()));
  EXPECT_EQ(copy.row(1)[1], 8U);
}

TEST(DenseSlice, BytesOfAnotherShapeAreRefusedAndChangeNothing) {
  DenseSlice<float> other(3, 2);
  Writer out;
  other.encode(out);
  DenseSlice<float> slice(2, 2);
  slice.row(0)[0] = 7;
  Reader in(out.view());
  slice.decode(in);
  EXPECT_FALSE(in.ok());
  EXPECT_EQ(slice.row(0)[0], 7.0F);
  EXPECT_EQ(slice.rows(), 2U);
}

}  // namespace
}  // namespace rota
