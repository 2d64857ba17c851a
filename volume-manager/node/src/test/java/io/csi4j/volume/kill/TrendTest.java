package io.csi4j.volume.kill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Random;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TrendTest {

  private static final int SAMPLES = 80;

  private static Trend trend(IntToDoubleFunction value) {
    List<Double> times = IntStream.range(0, SAMPLES).mapToObj(i -> i * 45.0).toList();
    List<Double> values = IntStream.range(0, SAMPLES).mapToObj(value::applyAsDouble).toList();
    return Trend.of(times, values);
  }

  @Test
  void aFigureThatStaysHasALevelAndNoGrowth() {
    assertThat(trend(i -> 42)).isEqualTo(new Trend(42, 0));
  }

  @Test
  void aSteadyLeakIsTheGrowthFromTheFirstSampleToTheLast() {
    assertThat(trend(i -> 100 + i).growth()).isCloseTo(79, within(1e-6));
    assertThat(trend(i -> 100 - i).growth()).isCloseTo(-79, within(1e-6));
  }

  @Test
  void aLeakOneFifthTheSizeOfTheNoiseIsFoundAllTheSame() {
    Random random = new Random(1);
    assertThat(trend(i -> i + random.nextInt(400)).growth()).isGreaterThan(40);
  }

  @Test
  void noiseAloneIsNoGrowth() {
    Random random = new Random(1);
    assertThat(trend(i -> 1_000 + random.nextInt(100)).growth()).isCloseTo(0, within(25.0));
  }

  @Test
  void aThreadThatIsLeftEveryQuarterOfTheTimeIsFound() {
    assertThat(trend(i -> 40 + i / 20).growth()).isGreaterThanOrEqualTo(1);
  }

  @Test
  void singleSamplesDoNotDecide() {
    assertThat(trend(i -> i % 10 == 9 ? 5_000 : 42)).isEqualTo(new Trend(42, 0));
  }

  @Test
  void fewSamplesAreNoTrend() {
    List<Double> seven = List.of(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0);
    assertThatThrownBy(() -> Trend.of(seven, seven))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Too few samples: 7");
  }
}
