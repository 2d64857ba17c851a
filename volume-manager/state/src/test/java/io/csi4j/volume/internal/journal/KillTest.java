package io.csi4j.volume.internal.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.csi4j.volume.state.LoadedState;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.journal.JournalStateStore;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real process is killed while it writes; what it acknowledged is there. */
class KillTest {

  /** How many writes are acknowledged before each kill; the segments are full every 60. */
  private static final int[] KILLED_AFTER = {0, 1, 61, 400, 1503};

  @TempDir Path directory;

  private Process start(long from, ProcessBuilder.Redirect errors) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-cp",
            System.getProperty("java.class.path"),
            KilledWriter.class.getName(),
            state().toString(),
            Long.toString(from))
        .redirectError(errors)
        .start();
  }

  private Path state() {
    return directory.resolve("state");
  }

  @Tag("campaign")
  @Test
  void whatAKilledProcessAcknowledgedIsThere() throws Exception {
    long acknowledged = -1;
    long epoch = 0;
    for (int after : KILLED_AFTER) {
      Process writer = start(acknowledged + 1, ProcessBuilder.Redirect.INHERIT);
      try (BufferedReader said = writer.inputReader(StandardCharsets.US_ASCII)) {
        assertThat(said.readLine()).isEqualTo("open");
        refusedWhileTheWriterLives(writer.pid());
        for (int i = 0; i < after; i++) {
          acknowledged = Long.parseLong(said.readLine());
        }
        // Through the handle: killed through the process, its output would be closed as well.
        writer.toHandle().destroyForcibly();
        writer.waitFor();
        // What it said before it died counts too.
        for (String line = said.readLine(); isWhole(line); line = said.readLine()) {
          acknowledged = Long.parseLong(line);
        }
      } finally {
        writer.destroyForcibly();
      }
      epoch = check(acknowledged, epoch);
    }
    assertThat(acknowledged).isGreaterThan(1900);
  }

  @Test
  void whoIsRefusedInTheProcessOfTheOwnerDoesNotFreeTheLockForOtherProcesses() throws Exception {
    try (JournalStateStore store = JournalStateStore.open(state(), KilledWriter.settings())) {
      assertThatExceptionOfType(StateException.class)
          .isThrownBy(() -> JournalStateStore.open(state(), KilledWriter.settings()))
          .satisfies(e -> assertThat(e.owner()).contains(store.owner()));
      Process other = start(0, ProcessBuilder.Redirect.DISCARD);
      try (BufferedReader said = other.inputReader(StandardCharsets.US_ASCII)) {
        assertThat(said.readLine()).isNull();
        assertThat(other.waitFor()).isOne();
      } finally {
        other.toHandle().destroyForcibly();
      }
    }
  }

  /** A line that was being written when the process died may end early. */
  private static boolean isWhole(String line) {
    return line != null && !line.isEmpty();
  }

  private void refusedWhileTheWriterLives(long pid) {
    assertThatExceptionOfType(StateException.class)
        .isThrownBy(() -> JournalStateStore.open(state(), KilledWriter.settings()))
        .satisfies(
            e -> {
              assertThat(e.reason()).isEqualTo(StateException.Reason.STATE_IN_USE);
              assertThat(e.owner().map(StateStore.Owner::pid)).contains(pid);
            })
        .withMessageContaining("process " + pid + " owns it");
  }

  private long check(long acknowledged, long epoch) {
    try (JournalStateStore store = JournalStateStore.open(state(), KilledWriter.settings())) {
      LoadedState loaded = store.load();
      assertThat(loaded.uncertainties()).isEmpty();
      assertThat(store.owner().epoch()).isGreaterThan(epoch + (epoch == 0 ? 0 : 1));
      for (long i = Math.max(0, acknowledged - KilledWriter.KEYS + 1); i <= acknowledged; i++) {
        // The write after the last that was acknowledged may be there as well, for its own key.
        long next = i + KilledWriter.KEYS;
        assertThat(loaded.value(KilledWriter.key(i)).orElseThrow())
            .isIn(KilledWriter.value(i), KilledWriter.value(next));
      }
      return store.owner().epoch();
    }
  }
}
