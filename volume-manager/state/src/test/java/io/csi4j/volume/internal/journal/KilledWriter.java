package io.csi4j.volume.internal.journal;

import io.csi4j.volume.state.JournalSettings;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.StateStore.Durability;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.state.journal.JournalStateStore;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** A process that writes until it is killed, and says what was acknowledged. */
final class KilledWriter {

  static final int KEYS = 7;

  private KilledWriter() {}

  /** Writes into the directory, with numbers from the one given. */
  public static void main(String[] arguments) {
    Path directory = Path.of(arguments[0]);
    StateStore store = JournalStateStore.open(directory, settings());
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.US_ASCII);
    out.println("open");
    for (long i = Long.parseLong(arguments[1]); ; i++) {
      store.put(key(i), value(i), Durability.REQUIRED);
      out.println(i);
    }
  }

  static JournalSettings settings() {
    return JournalSettings.builder().segmentSize(16 * 1024).acceptAnyFilesystem(true).build();
  }

  static StateKey key(long i) {
    return StateKey.volume("v" + i % KEYS);
  }

  static StateValue value(long i) {
    return Fixture.value((i + " ").repeat((int) (20 + i % 50)));
  }
}
