package io.csi4j.volume.internal.journal;

import io.csi4j.volume.internal.disk.FakeDisk;
import io.csi4j.volume.state.HostIdentity;
import io.csi4j.volume.state.HostIdentity.BootId;
import io.csi4j.volume.state.HostIdentity.HostId;
import io.csi4j.volume.state.JournalSettings;
import io.csi4j.volume.state.StateEvent;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateValue;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What the tests of the journal have in common. */
final class Fixture {

  static final Path ROOT = Path.of("/disk");
  static final Path STATE = ROOT.resolve("state");
  static final HostIdentity HOST =
      new HostIdentity(new HostId("host-a"), new BootId("boot-1"), 4026531841L);
  static final StateKey A = StateKey.volume("a");
  static final StateKey B = StateKey.volume("b");
  static final StateKey C = StateKey.volume("c");

  final List<StateEvent> events = new ArrayList<>();

  JournalSettings.Builder settings() {
    return JournalSettings.builder()
        .host(HOST)
        .segmentSize(4096)
        .ballastSize(2048)
        .listener(events::add);
  }

  Journal open(FakeDisk disk) {
    return Journal.open(disk, STATE, settings().build());
  }

  <E extends StateEvent> List<E> told(Class<E> type) {
    return events.stream().filter(type::isInstance).map(type::cast).toList();
  }

  static Path segment(int number) {
    return STATE.resolve("seg-%08d.j".formatted(number));
  }

  static StateValue value(String text) {
    return StateValue.of(text.getBytes(StandardCharsets.UTF_8));
  }

  static String text(StateValue value) {
    return new String(value.bytes(), StandardCharsets.UTF_8);
  }
}
