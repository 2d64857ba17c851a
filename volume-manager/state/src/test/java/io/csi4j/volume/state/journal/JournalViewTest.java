package io.csi4j.volume.state.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.csi4j.volume.state.HostIdentity;
import io.csi4j.volume.state.HostIdentity.BootId;
import io.csi4j.volume.state.HostIdentity.HostId;
import io.csi4j.volume.state.JournalSettings;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.StateStore.Durability;
import io.csi4j.volume.state.StateStore.Stored;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.state.Uncertainty;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalViewTest {

  private static final StateKey KEY = StateKey.volume("v");

  @TempDir Path temp;
  private Path directory;

  @BeforeEach
  void nameIt() {
    directory = temp.resolve("state");
  }

  private static JournalSettings.Builder settings() {
    return JournalSettings.builder().segmentSize(16 * 1024).acceptAnyFilesystem(true);
  }

  private StateStore open() {
    return JournalStateStore.open(directory, settings().build());
  }

  private static StateValue value(int number) {
    return StateValue.of(new byte[] {1, (byte) number});
  }

  private static void put(StateStore store, int number) {
    assertThat(store.put(KEY, value(number), Durability.REQUIRED)).isEqualTo(Stored.DURABLE);
  }

  /**
   * All bytes of a directory, and when they were changed. The lock is empty, and closing it here
   * would let go of it.
   */
  private static Map<String, Object> contents(Path directory) throws IOException {
    Map<String, Object> all = new TreeMap<>();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        all.put(
            file.getFileName().toString(),
            (file.endsWith("lock") ? 0 : Arrays.hashCode(Files.readAllBytes(file)))
                + " "
                + Files.getLastModifiedTime(file));
      }
    }
    return all;
  }

  @Test
  void anOpenJournalIsReadAndStaysThatOfItsOwner() throws IOException {
    try (StateStore store = open()) {
      put(store, 7);
      Map<String, Object> before = contents(directory);

      JournalView view = JournalView.read(directory);

      assertThat(view.state().value(KEY)).contains(value(7));
      assertThat(view.state().uncertainties()).isEmpty();
      assertThat(view.isHeld()).isTrue();
      assertThat(view.refusal()).contains(StateException.Reason.STATE_IN_USE);
      assertThat(view.owner()).contains(store.owner());
      assertThat(contents(directory)).isEqualTo(before);
      put(store, 8);
      assertThatExceptionOfType(StateException.class)
          .isThrownBy(this::open)
          .satisfies(
              refused ->
                  assertThat(refused.reason()).isEqualTo(StateException.Reason.STATE_IN_USE));
    }
  }

  @Test
  void aClosedJournalIsReadAndNotChanged() throws IOException {
    try (StateStore store = open()) {
      put(store, 1);
    }
    Map<String, Object> before = contents(directory);

    JournalView view = JournalView.read(directory);

    assertThat(view.state().value(KEY)).contains(value(1));
    assertThat(view.isHeld()).isFalse();
    assertThat(view.refusal()).isEmpty();
    assertThat(view.owner()).map(owner -> owner.pid()).contains(ProcessHandle.current().pid());
    assertThat(contents(directory)).isEqualTo(before);
  }

  @Test
  void aJournalThatIsWrittenMeanwhileIsNeverSeenInDoubt() throws Exception {
    try (StateStore store = open()) {
      put(store, 0);
      AtomicBoolean done = new AtomicBoolean();
      Thread writing =
          new Thread(
              () -> {
                for (int i = 0; !done.get(); i++) {
                  put(store, i % 100);
                }
              });
      writing.start();
      try {
        for (int i = 0; i < 200; i++) {
          JournalView view = JournalView.read(directory);
          assertThat(view.state().uncertainties()).isEmpty();
          assertThat(view.state().value(KEY)).isPresent();
        }
      } finally {
        done.set(true);
        writing.join();
      }
    }
  }

  @Test
  void aDamagedJournalIsReadAsAnOpeningWouldLoadIt() throws IOException {
    try (StateStore store = open()) {
      for (int i = 0; i < 20; i++) {
        put(store, i);
      }
    }
    Path segment;
    try (Stream<Path> files = Files.list(directory)) {
      segment =
          files
              .filter(file -> file.toString().endsWith(".j"))
              .max(Comparator.naturalOrder())
              .orElseThrow();
    }
    byte[] bytes = Files.readAllBytes(segment);
    Arrays.fill(bytes, 400, 450, (byte) 0x5a);
    Files.write(segment, bytes);

    JournalView view = JournalView.read(directory);

    assertThat(view.state().uncertainties())
        .extracting(Uncertainty::reason)
        .containsExactly(StateException.Reason.JOURNAL_DAMAGED);
    assertThat(view.state().value(KEY)).contains(value(19));
    try (StateStore store = open()) {
      assertThat(store.load().uncertainties()).isEqualTo(view.state().uncertainties());
      assertThat(JournalView.read(directory).keptAside()).hasSize(1);
    }
  }

  @Test
  void aDirectoryWithoutAJournalIsToldApartFromOneThatIsNotThere() throws IOException {
    assertThatExceptionOfType(StateException.class)
        .isThrownBy(() -> JournalView.read(directory))
        .withMessage(
            "Reading the state in "
                + directory
                + " failed: there is no such directory. Give the directory of a journal.")
        .satisfies(e -> assertThat(e.reason()).isEqualTo(StateException.Reason.STATE_NOT_USABLE));
    Files.createDirectory(directory);
    assertThatExceptionOfType(StateException.class)
        .isThrownBy(() -> JournalView.read(directory))
        .withMessage(
            "Reading the state in "
                + directory
                + " failed: it has no journal (neither a file seg-*.j nor a file 'owner'). Give"
                + " the directory of a journal.")
        .satisfies(e -> assertThat(e.reason()).isEqualTo(StateException.Reason.STATE_MISSING));
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void aJournalOfAnotherHostIsReadAndSaysThatItWouldBeRefused() {
    HostIdentity other = new HostIdentity(new HostId("other"), new BootId("b"), 1);
    try (StateStore store = JournalStateStore.open(directory, settings().host(other).build())) {
      put(store, 3);
    }

    JournalView view = JournalView.read(directory);

    assertThat(view.state().value(KEY)).contains(value(3));
    assertThat(view.refusal()).contains(StateException.Reason.STATE_FROM_OTHER_HOST);
  }
}
