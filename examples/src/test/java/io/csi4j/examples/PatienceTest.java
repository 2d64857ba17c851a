package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;

/** How long the quickstart waits, on machines of different speed. */
class PatienceTest {

  @Test
  void itIsAMinuteOnAMachineThatStartsAJvmInLessThanASecond() {
    assertThat(Patience.forStarts(Duration.ofMillis(400)).limit()).isEqualTo(Duration.ofMinutes(1));
    assertThat(Patience.forStarts(Duration.ofSeconds(-3)).limit()).isEqualTo(Duration.ofMinutes(1));
  }

  @Test
  void itGrowsWithTheTimeThatAStartTakes() {
    assertThat(Patience.forStarts(Duration.ofSeconds(20)).limit())
        .isEqualTo(Duration.ofMinutes(20));
  }

  @Test
  void itIsMeasuredByTheStartOfThisProcess() {
    Duration limit = Patience.since(ProcessHandle.current()).limit();

    assertThat(limit).isBetween(Duration.ofMinutes(1), Duration.ofDays(365));
  }

  @Test
  void whatDoesNotComeInTimeIsToldWithTheTime() {
    Patience brief = new Patience(Duration.ofMillis(1));

    assertThat(brief.next(new LinkedBlockingQueue<>(List.of("here")))).isEqualTo("here");
    assertThatThrownBy(() -> brief.next(new LinkedBlockingQueue<>()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("Nothing was heard of the plugin for 0 s.");
  }
}
