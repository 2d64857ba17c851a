package io.csi4j.testkit.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.zaxxer.hikari.HikariDataSource;
import io.csi4j.client.model.AccessMode;
import io.csi4j.mount.campaign.PlayedInShares;
import io.csi4j.volume.catalog.ClusterIdentity;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.claim.etcd.EtcdServer;
import io.csi4j.volume.claim.etcd.EtcdSettings;
import io.csi4j.volume.claim.etcd.EtcdStore;
import io.csi4j.volume.claim.etcd.EtcdTest;
import io.csi4j.volume.claim.jdbc.JdbcSettings;
import io.csi4j.volume.claim.jdbc.PostgresServer;
import io.csi4j.volume.claim.jdbc.PostgresStore;
import io.csi4j.volume.claim.jdbc.PostgresTest;
import io.csi4j.volume.controller.ClusterSetup;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.state.JournalSettings;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.state.journal.JournalStateStore;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordKey.Space;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.StoredRecord;
import io.csi4j.volume.store.local.LocalStore;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Moves 10,000 volumes with a process that is killed in the middle. */
@Tag("campaign")
class StoreMoveTest {

  private static final int VOLUMES = 10_000;

  private static final RecordKey IDENTITY = new RecordKey(Space.CLUSTER, "identity");
  private static final RecordKey MARK = new RecordKey(Space.CLUSTER, "move");

  @TempDir Path temp;

  private @Nullable ClusterIdentity cluster;

  private static void put(RecordStore store, RecordKey key, String text) {
    StateValue value = StateValue.of(text.getBytes(StandardCharsets.UTF_8));
    assertThat(store.write(new RecordWrite(key, Optional.empty(), Optional.of(value))))
        .isInstanceOf(RecordStore.WriteResult.Written.class);
  }

  static ClaimRequest wish(String workload) {
    return ClaimRequest.builder(
            VolumeUse.of(VolumeKey.of("volume-7"), WorkloadId.of(workload)),
            NodeName.of("n1"),
            new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM),
            ClaimMode.WRITE)
        .build();
  }

  private Path filled() {
    Path directory = temp.resolve("store");
    // The disk of the tests need not keep anything through a power cut.
    JournalSettings journal = JournalSettings.builder().acceptAnyFilesystem(true).build();
    try (LocalStore store = LocalStore.on(JournalStateStore.open(directory, journal))) {
      for (int i = 0; i < VOLUMES; i++) {
        put(store, RecordKey.of(Space.VOLUMES, VolumeKey.of("volume-" + i)), "bytes of " + i);
      }
      new ClaimBook(store, Clock.systemUTC()).claim(wish("web"));
      cluster = new ClusterSetup(store).create();
    }
    return directory;
  }

  private static Map<RecordKey, StateValue> records(RecordStore store) {
    Map<RecordKey, StateValue> all = new TreeMap<>();
    for (Space space : Space.values()) {
      Optional<RecordKey> after = Optional.empty();
      do {
        RecordStore.Page page = store.scan(space, after, 256);
        page.records().forEach(each -> all.put(each.key(), each.value()));
        after = page.next();
      } while (after.isPresent());
    }
    all.remove(MARK);
    return all;
  }

  /** All but the record that names the store of the cluster. */
  private static Map<RecordKey, StateValue> carried(RecordStore store) {
    Map<RecordKey, StateValue> carried = records(store);
    carried.remove(IDENTITY);
    return carried;
  }

  /** Whether some volumes were moved: the last volume comes late. */
  private static boolean isUnderWay(RecordStore target) {
    List<StoredRecord> found = target.scan(Space.VOLUMES, Optional.empty(), 100).records();
    return found.size() == 100;
  }

  private static ChildProcess move(Path temp, String... args) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                ChildProcess.tool("java"),
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "store",
                "move"));
    command.addAll(List.of(args));
    return ChildProcess.start(temp, Map.of(), command);
  }

  private List<String> moved(String... args) throws Exception {
    try (ChildProcess run = move(temp, args)) {
      assertThat(run.code()).as(run.err()).isZero();
      return run.out().lines().toList();
    }
  }

  private void isMovedThoughItWasKilled(
      Path directory, Supplier<RecordStore> look, Supplier<RecordStore> open, String... options)
      throws Exception {
    Map<RecordKey, StateValue> before;
    try (RecordStore source = LocalStore.look(directory, Optional.empty())) {
      before = records(source);
    }
    assertThat(before).hasSize(VOLUMES + 2);
    String[] args =
        Stream.concat(Stream.of("--from-directory", directory.toString()), Stream.of(options))
            .toArray(String[]::new);
    try (RecordStore target = open.get();
        ChildProcess killed = move(temp, args)) {
      killed.awaitUntil("the move is under way", () -> isUnderWay(target));
      killed.close();
      assertThat(killed.code()).isEqualTo(128 + 9);
    }
    int left;
    String identity;
    try (RecordStore target = look.get()) {
      identity = target.identity().value();
      left = VOLUMES + 2 - records(target).size();
    }
    assertThat(left).as("killed in the middle").isBetween(1, VOLUMES);
    Run claims = Run.of("claims", "list", "--directory", directory.toString());
    assertThat(claims.outLines())
        .hasSize(2)
        .last()
        .asString()
        .startsWith("default/volume-7  SINGLE_NODE_WRITER  web  ");
    assertThat(claims.errLines())
        .singleElement()
        .asString()
        .matches(
            "The store accepts no writes: the move of the records of store 'local-[-0-9a-f]+' to"
                + " store '"
                + identity
                + "' is not complete\\. Open the new store.*");
    try (RecordStore target = open.get()) {
      ClaimException early =
          catchThrowableOfType(
              ClaimException.class,
              () -> new ClaimBook(target, Clock.systemUTC()).claim(wish("early")));
      assertThat(early.code()).isEqualTo(OperatorCode.STORE_MOVED);
    }

    List<String> moved = moved(args);

    assertThat(moved).hasSize(2);
    assertThat(moved.get(0))
        .matches(
            "Moved 10002 records from store 'local-[-0-9a-f]+' to store '"
                + identity
                + "': 10000 volumes, 1 record of claims, 1 of the cluster\\.");
    assertThat(moved.get(1))
        .isEqualTo(
            left
                + " written now, "
                + (VOLUMES + 2 - left)
                + " before; both stores were compared and are equal.");
    try (RecordStore target = look.get();
        RecordStore source = LocalStore.look(directory, Optional.empty())) {
      assertThat(carried(target)).hasSize(VOLUMES + 1).isEqualTo(carried(source));
      assertThat(records(source)).isEqualTo(before);
      assertThat(new ClusterSetup(target).identity()).contains(cluster);
      assertThat(new ClusterSetup(target).isAccepted()).isTrue();
    }
    assertThat(moved(args))
        .containsExactly(
            moved.get(0), "An earlier run has completed the move; nothing was written now.");
  }

  @Test
  @PlayedInShares
  @EtcdTest
  void aMoveToEtcdThatWasKilledGoesOnAndBackToADirectory() throws Exception {
    Path directory = filled();
    try (EtcdServer etcd = EtcdServer.start(Files.createDirectory(temp.resolve("etcd")))) {
      EtcdSettings settings = EtcdSettings.of(etcd.endpoint());
      isMovedThoughItWasKilled(
          directory,
          () -> EtcdStore.look(settings),
          () -> EtcdStore.open(settings),
          "--to-etcd",
          etcd.address());

      Path back = temp.resolve("back");

      assertThat(moved("--to-directory", back.toString(), "--from-etcd", etcd.address(), "--json"))
          .singleElement()
          .asString()
          .contains("\"claims\":1,\"volumes\":10000,\"cluster\":1,\"written\":10002");
      try (RecordStore there = EtcdStore.look(settings);
          LocalStore here = LocalStore.open(back)) {
        assertThat(carried(here)).hasSize(VOLUMES + 1).isEqualTo(carried(there));
        assertThat(new ClusterSetup(here).isAccepted()).isTrue();
      }
    }
  }

  @Test
  @PlayedInShares
  @PostgresTest
  void aMoveToPostgresThatWasKilledGoesOn() throws Exception {
    Path directory = filled();
    try (PostgresServer server = PostgresServer.begin();
        HikariDataSource pool = PostgresServer.pool(server.address())) {
      isMovedThoughItWasKilled(
          directory,
          () -> PostgresStore.look(pool, JdbcSettings.defaults()),
          () -> PostgresStore.open(pool, JdbcSettings.defaults()),
          "--to-jdbc",
          server.address());
    }
  }

  @Test
  @EtcdTest
  @PostgresTest
  void recordsAreMovedFromEtcdToPostgresAndBack() throws Exception {
    try (EtcdServer etcd = EtcdServer.start(Files.createDirectory(temp.resolve("etcd")));
        PostgresServer server = PostgresServer.begin();
        HikariDataSource pool = PostgresServer.pool(server.address())) {
      EtcdSettings settings = EtcdSettings.of(etcd.endpoint());
      Map<RecordKey, StateValue> before;
      try (RecordStore source = EtcdStore.open(settings)) {
        for (int i = 0; i < 300; i++) {
          put(source, RecordKey.of(Space.VOLUMES, VolumeKey.of("volume-" + i)), "bytes of " + i);
        }
        new ClaimBook(source, Clock.systemUTC()).claim(wish("web"));
        cluster = new ClusterSetup(source).create();
        before = carried(source);
      }
      String[] there = {
        "store", "move", "--from-etcd", etcd.address(), "--to-jdbc", server.address()
      };

      Run moved = Run.of(there);

      assertThat(moved.code()).as(moved.err()).isZero();
      assertThat(moved.outLines())
          .hasSize(2)
          .last()
          .isEqualTo("302 written now, 0 before; both stores were compared and are equal.");
      try (RecordStore target = PostgresStore.look(pool, JdbcSettings.defaults());
          RecordStore source = EtcdStore.open(settings)) {
        assertThat(carried(target)).isEqualTo(before);
        assertThat(new ClusterSetup(target).isAccepted()).isTrue();
        ClaimException late =
            catchThrowableOfType(
                ClaimException.class,
                () -> new ClaimBook(source, Clock.systemUTC()).claim(wish("late")));
        assertThat(late.code()).isEqualTo(OperatorCode.STORE_MOVED);
      }
      assertThat(Run.of(there).outLines())
          .last()
          .isEqualTo("An earlier run has completed the move; nothing was written now.");
      Run refused =
          Run.of("store", "move", "--from-jdbc", server.address(), "--to-etcd", etcd.address());
      assertThat(refused.code()).isEqualTo(ExitCode.USAGE);
      assertThat(refused.err()).contains("were moved to store ").contains("Use an empty store.");

      Run back =
          Run.of(
              "store",
              "move",
              "--from-jdbc",
              server.address(),
              "--to-etcd",
              etcd.address(),
              "--to-etcd-prefix",
              "/back/");

      assertThat(back.code()).as(back.err()).isZero();
      try (RecordStore target =
          EtcdStore.look(EtcdSettings.builder(etcd.endpoint()).prefix("/back/").build())) {
        assertThat(carried(target)).isEqualTo(before);
        assertThat(new ClusterSetup(target).identity()).contains(cluster);
      }
    }
  }
}
