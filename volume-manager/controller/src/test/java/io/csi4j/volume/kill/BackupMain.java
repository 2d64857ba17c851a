package io.csi4j.volume.kill;

import io.csi4j.client.group.VolumeGroupSnapshot;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.volume.backup.SnapshotSchedule;
import io.csi4j.volume.catalog.CatalogEntry.PendingSnapshot;
import io.csi4j.volume.catalog.SteppingStore;
import io.csi4j.volume.controller.ControllerException;
import io.csi4j.volume.controller.SnapshotBackups;
import io.csi4j.volume.controller.SnapshotName;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.supervision.InMemoryPluginRegistry;
import io.csi4j.volume.state.JournalSettings;
import io.csi4j.volume.state.journal.JournalStateStore;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStore.WriteResult;
import io.csi4j.volume.store.local.LocalStore;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * The process that is killed while it backs volumes up: a controller with its catalog on disk and a
 * plugin at a socket. It does what it reads, a line each, and says what came of it. It can be told
 * to stand still at the nth moment before or after a write.
 */
final class BackupMain {

  static final PluginId PLUGIN = PluginId.of("fake");
  static final VolumeKey DB = VolumeKey.of("db");
  static final VolumeKey LOG = VolumeKey.of("log");
  static final Set<VolumeKey> BOTH = Set.of(DB, LOG);

  private final PrintStream out;
  private int left;

  private BackupMain(PrintStream out) {
    this.out = out;
  }

  /** The name of the snapshot of a tick. */
  static SnapshotName name(long tick) {
    return new SnapshotSchedule("nightly").nameAt(Instant.ofEpochSecond(tick), DB);
  }

  /** The name of the group of snapshots of a tick. */
  static SnapshotName groupName(long tick) {
    return new SnapshotSchedule("nightly").nameAt(Instant.ofEpochSecond(tick));
  }

  /** A group in the words of the process: its id, and those of its members. */
  static String words(VolumeGroupSnapshot group) {
    return group.id()
        + " "
        + group.snapshots().stream()
            .map(each -> each.id().value())
            .sorted()
            .collect(Collectors.joining(","));
  }

  /** What a process has open. */
  record Open(JournalStateStore state, VolumeController controller) implements AutoCloseable {

    static Open at(Path directory, Path socket) {
      return at(directory, socket, UnaryOperator.identity());
    }

    static Open at(Path directory, Path socket, UnaryOperator<RecordStore> around) {
      PluginRegistry plugins = InMemoryPluginRegistry.open();
      plugins.register(
          PluginRegistration.controller(PluginBinding.of(PLUGIN, CsiEndpoint.of(socket))));
      JournalStateStore state = JournalStateStore.open(directory, JournalSettings.defaults());
      return new Open(
          state, VolumeController.builder(plugins, around.apply(LocalStore.on(state))).open());
    }

    @Override
    public void close() {
      controller.close();
      state.close();
    }
  }

  /** Opens all, with the places as they are given: the catalog, the socket. */
  public static void main(String[] words) throws IOException {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    BackupMain main = new BackupMain(out);
    try (Open open = Open.at(Path.of(words[0]), Path.of(words[1]), main::halting)) {
      out.println("opened");
      main.obey(open.controller().backups());
    }
  }

  private void obey(SnapshotBackups backups) throws IOException {
    BufferedReader orders =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String order = orders.readLine(); order != null; order = orders.readLine()) {
      String[] words = order.split(" ", -1);
      try {
        switch (words[0]) {
          case "arm" -> left = Integer.parseInt(order.substring("arm #".length()));
          case "cut" ->
              out.println(
                  order + " " + backups.cut(DB, name(Long.parseLong(words[1])), Map.of()).id());
          case "ready" ->
              out.println(order + " " + backups.ready(DB, name(Long.parseLong(words[1]))).id());
          case "keep" ->
              out.println(order + " " + backups.keep(DB, name(Long.parseLong(words[1]))));
          case "cutGroup" ->
              out.println(
                  order
                      + " "
                      + words(backups.cut(BOTH, groupName(Long.parseLong(words[1])), Map.of())));
          case "readyGroup" ->
              out.println(
                  order
                      + " "
                      + words(backups.readyGroup(LOG, groupName(Long.parseLong(words[1])))));
          case "keepGroup" ->
              out.println(order + " " + backups.keep(LOG, groupName(Long.parseLong(words[1]))));
          default -> throw new IllegalArgumentException(order);
        }
      } catch (ControllerException failed) {
        out.println("failed " + failed.getMessage());
      }
    }
  }

  private void moment(String what) {
    if (--left == 0) {
      out.println("parked " + what);
      while (true) {
        LockSupport.park(this);
      }
    }
  }

  private RecordStore halting(RecordStore store) {
    return new SteppingStore(
        store,
        (next, write) -> {
          List<PendingSnapshot> pending = next.orElseThrow().entry().pendingSnapshots();
          String what =
              pending.isEmpty()
                  ? "nothing"
                  : pending.stream().map(PendingSnapshot::answer).allMatch(Optional::isPresent)
                      ? "the answer"
                      : "the intent";
          moment("before writing " + what);
          WriteResult result = write.get();
          moment("after writing " + what);
          return result;
        });
  }
}
