package io.csi4j.testkit.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.catalog.ClusterIdentity;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.claim.etcd.EtcdServer;
import io.csi4j.volume.claim.etcd.EtcdSettings;
import io.csi4j.volume.claim.etcd.EtcdStore;
import io.csi4j.volume.claim.etcd.EtcdTest;
import io.csi4j.volume.controller.ClusterSetup;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordKey.Space;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.local.LocalStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.Driver;

class StoreCommandsTest {

  @TempDir Path temp;

  private static void put(RecordStore store, String volume) {
    put(store, RecordKey.of(Space.VOLUMES, VolumeKey.of(volume)));
  }

  private static void put(RecordStore store, RecordKey key) {
    assertThat(
            store.write(
                new RecordWrite(
                    key, Optional.empty(), Optional.of(StateValue.of(new byte[] {8, 9})))))
        .isInstanceOf(RecordStore.WriteResult.Written.class);
  }

  private static void copyRecord(RecordKey key, RecordStore from, RecordStore to) {
    StateValue value = from.read(key).orElseThrow().value();
    assertThat(to.write(new RecordWrite(key, Optional.empty(), Optional.of(value))))
        .isInstanceOf(RecordStore.WriteResult.Written.class);
  }

  private Path filled() {
    Path directory = temp.resolve("store");
    try (LocalStore store = LocalStore.open(directory)) {
      put(store, "db");
    }
    return directory;
  }

  @Test
  void aMoveNeedsTwoStores() {
    for (String[] args :
        new String[][] {
          {"store", "move"},
          {"store", "move", "--to-etcd", "http://127.0.0.1:1"},
          {"store", "move", "--from-directory", "a", "--from-etcd", "http://h:1"}
        }) {
      Run run = Run.of(args);
      assertThat(run.code()).isEqualTo(ExitCode.USAGE);
      assertThat(run.errLines())
          .containsExactly(
              "Say where the store is: write --from-directory DIR, --from-etcd URL or --from-jdbc"
                  + " URL.",
              "See: csi4j store move --help");
    }
    Run one = Run.of("store", "move", "--from-directory", filled().toString());
    assertThat(one.code()).isEqualTo(ExitCode.USAGE);
    assertThat(one.errLines())
        .first()
        .isEqualTo(
            "Say where the store is: write --to-directory DIR, --to-etcd URL or --to-jdbc URL.");
    Run login =
        Run.of(
            "store",
            "move",
            "--from-etcd",
            "http://127.0.0.1:1",
            "--from-etcd-user",
            "u",
            "--to-directory",
            temp.resolve("back").toString());
    assertThat(login.code()).isEqualTo(ExitCode.USAGE);
    assertThat(login.errLines())
        .first()
        .isEqualTo("--from-etcd-user needs --from-etcd-password FILE.");
    assertThat(temp.resolve("back")).doesNotExist();
  }

  private Run move(Path from, Path to, String... more) {
    String[] args = {
      "store", "move", "--from-directory", from.toString(), "--to-directory", to.toString()
    };
    return Run.of(Stream.concat(Stream.of(args), Stream.of(more)).toArray(String[]::new));
  }

  @Test
  void aMoveThatIsCompleteIsNotRepeated() {
    Path from = filled();
    Path to = temp.resolve("to");
    Run first = move(from, to);
    assertThat(first.code()).as(first.err()).isZero();
    assertThat(first.outLines())
        .hasSize(2)
        .last()
        .isEqualTo("1 written now, 0 before; both stores were compared and are equal.");
    try (LocalStore target = LocalStore.open(to)) {
      RecordKey db = RecordKey.of(Space.VOLUMES, VolumeKey.of("db"));
      assertThat(target.write(new RecordWrite(db, target.read(db), Optional.empty())))
          .isInstanceOf(RecordStore.WriteResult.Written.class);
    }

    Run again = move(from, to);

    assertThat(again.code()).as(again.err()).isZero();
    assertThat(again.outLines())
        .containsExactly(
            first.outLines().get(0),
            "An earlier run has completed the move; nothing was written now.");
    assertThat(move(from, to, "--json").out())
        .contains("\"volumes\":1,\"cluster\":0,\"written\":0,\"complete_before\":true");
    assertThat(Run.of("volumes", "list", "--directory", to.toString()).out())
        .doesNotContain("default/db");
  }

  @Test
  void aCopyOfTheRecordsOfAClusterIsNotMovedUntilAPersonAcceptsIt() {
    RecordKey identity = new RecordKey(Space.CLUSTER, "identity");
    Path copy = temp.resolve("copy");
    Path to = temp.resolve("to");
    ClusterIdentity cluster;
    try (LocalStore store = LocalStore.open(filled());
        LocalStore restored = LocalStore.open(copy)) {
      cluster = new ClusterSetup(store).create();
      copyRecord(identity, store, restored);
    }

    Run refused = move(copy, to);

    assertThat(refused.code()).as(refused.out()).isEqualTo(ExitCode.USAGE);
    assertThat(refused.errLines())
        .first()
        .asString()
        .matches(
            "Moving the records failed: the cluster works with another store, and store"
                + " 'local-[-0-9a-f]+' has a copy of its records\\. Move the records of the other"
                + " store; or, if no control plane uses it, accept this one with"
                + " 'csi4j store accept'\\.");
    assertThat(to).doesNotExist();
    String[] accept = {"store", "accept", "--directory", copy.toString(), "--yes"};
    assertThat(Run.of(accept).code()).isZero();
    assertThat(move(copy, to).code()).isZero();
    try (RecordStore moved = LocalStore.look(to, Optional.empty())) {
      assertThat(new ClusterSetup(moved).identity()).contains(cluster);
      assertThat(new ClusterSetup(moved).isAccepted()).isTrue();
    }
  }

  @Test
  void aMoveThatIsRefusedSealsNeitherStore() throws Exception {
    Path from = filled();
    Path to = temp.resolve("to");
    try (LocalStore store = LocalStore.open(to)) {
      put(store, "other");
    }
    Path keys =
        Files.writeString(
            temp.resolve("keys"), "k " + Base64.getEncoder().encodeToString(new byte[32]) + "\n");
    Files.setPosixFilePermissions(keys, PosixFilePermissions.fromString("rw-------"));

    Run refused =
        move(from, to, "--from-key-file", keys.toString(), "--to-key-file", keys.toString());

    assertThat(refused.code()).isEqualTo(ExitCode.USAGE);
    assertThat(refused.err()).contains("Use an empty store.");
    for (Path directory : List.of(from, to)) {
      try (RecordStore look = LocalStore.look(directory, Optional.empty())) {
        assertThat(look.scan(Space.VOLUMES, Optional.empty(), 9).records()).hasSize(1);
      }
    }
  }

  @Test
  void aDriverOfADatabaseIsNamedAndNoPasswordStandsInAUrl() throws Exception {
    String url = "jdbc:postgresql://127.0.0.1:1/csi4j";
    for (String unsafe :
        List.of(
            url + "?user=u&password=hunter2", "jdbc:postgresql://u:hunter2@127.0.0.1:1/csi4j")) {
      Run secret = Run.of("claims", "list", "--jdbc", unsafe);
      assertThat(secret.code()).isEqualTo(ExitCode.USAGE);
      assertThat(secret.errLines())
          .containsExactly(
              "The URL of --jdbc has a password, which other users can see. Write it to a file,"
                  + " and name the file with --jdbc-password FILE.",
              "See: csi4j claims list --help");
    }
    Run missing = Run.of("claims", "list", "--jdbc", url, "--jdbc-driver", temp + "/none.jar");
    assertThat(missing.errLines())
        .first()
        .isEqualTo("There is no file '" + temp + "/none.jar'. Name the jar of the driver.");
    Run foreign = Run.of("claims", "list", "--jdbc", "jdbc:none:there");
    assertThat(foreign.errLines())
        .first()
        .isEqualTo("This program contains no JDBC driver. Name its jar with --jdbc-driver JAR.");
    Run nobody = Run.of("claims", "list", "--jdbc", url, "--jdbc-user", "u");
    assertThat(nobody.errLines()).first().isEqualTo("--jdbc-user needs --jdbc-password FILE.");
    Path password = Files.writeString(temp.resolve("password"), "hunter2\n");
    Run down =
        Run.of(
            "claims", "list", "--jdbc", url, "--jdbc-user", "u", "--jdbc-password", password + "");
    assertThat(down.code()).isEqualTo(ExitCode.NO_CONNECTION);
    assertThat(down.errLines())
        .singleElement()
        .asString()
        .startsWith("Opening the store failed: the database reports 08001 '")
        .doesNotContain("hunter2");
    Run unreadable =
        Run.of("claims", "list", "--jdbc", url + "?user=u", "--jdbc-password", temp + "/none");
    assertThat(unreadable.code()).as("the user may stand in the URL").isEqualTo(ExitCode.USAGE);
    Run nobodyOfEtcd =
        Run.of("claims", "list", "--etcd", "http://127.0.0.1:1", "--etcd-password", password + "");
    assertThat(nobodyOfEtcd.errLines())
        .first()
        .isEqualTo("--etcd-password needs --etcd-user NAME.");
    Path jar = Path.of(Driver.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    Run named = Run.of("claims", "list", "--jdbc", url, "--jdbc-driver", jar.toString());
    assertThat(named.code()).isEqualTo(ExitCode.NO_CONNECTION);
    assertThat(named.err()).startsWith("Opening the store failed: the database reports 08001 '");
  }

  @Test
  void aDirectoryIsTakenBackOnceItsRecordsWereMoved() {
    Path directory = filled();
    String[] takeBack = {"store", "take-back", "--directory", directory.toString()};
    Run none = Run.of(takeBack);
    assertThat(none.code()).as(none.err()).isZero();
    assertThat(none.out())
        .matches("The records of store 'local-[-0-9a-f]+' were not moved; nothing was changed.\n");
    assertThat(move(directory, temp.resolve("to")).code()).isZero();
    Run list = Run.of("claims", "list", "--directory", directory.toString());
    assertThat(list.code()).isEqualTo(ExitCode.FAILED);
    assertThat(list.errLines())
        .singleElement()
        .asString()
        .matches(
            "The store accepts no writes: the records of store 'local-[-0-9a-f]+' were moved to"
                + " store 'local-[-0-9a-f]+'\\. Open the new store; repeat an incomplete move, or"
                + " undo it with 'csi4j store take-back'\\.");
    Run accept = Run.of("store", "accept", "--directory", directory.toString(), "--yes");
    assertThat(accept.code()).isEqualTo(ExitCode.FAILED);
    assertThat(accept.err()).startsWith("Accepting the store failed: the records of store 'local-");

    Run asked = Run.of(takeBack);
    assertThat(asked.code()).as(asked.err()).isEqualTo(ExitCode.FAILED);
    assertThat(asked.out())
        .matches(
            "Store 'local-[-0-9a-f]+' is not used: the records of store 'local-[-0-9a-f]+' were"
                + " moved to store 'local-[-0-9a-f]+'\\.\nNothing was changed\\. Make sure that no"
                + " control plane has used the other store, or will use it; then repeat the command"
                + " with --yes\\.\n");

    Run taken = Run.of("store", "take-back", "--directory", directory.toString(), "--yes");

    assertThat(taken.code()).as(taken.err()).isZero();
    assertThat(taken.out())
        .matches(
            "Store 'local-[-0-9a-f]+' accepts writes again\\. Store 'local-[-0-9a-f]+' must not be"
                + " used any more: it has copies of some or all records\\.\n");
    assertThat(Run.of("claims", "list", "--directory", directory.toString()).code()).isZero();
  }

  @Test
  void aDirectoryInGoodOrderHasNothingToAccept() {
    Run run = Run.of("store", "accept", "--directory", filled().toString());
    assertThat(run.code()).isZero();
    assertThat(run.out())
        .matches("Store 'local-[-0-9a-f]+' accepts writes. There is nothing to accept.\n");
  }

  @Test
  void aDirectoryWhoseJournalIsDamagedIsAcceptedOnceAPersonSaysSo() throws IOException {
    Path directory = temp.resolve("store");
    try (LocalStore store = LocalStore.open(directory)) {
      IntStream.range(0, 9).forEach(i -> put(store, "db-" + i));
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
    Arrays.fill(bytes, 400, 440, (byte) 0x5a);
    Files.write(segment, bytes);

    Run look = Run.of("store", "accept", "--directory", directory.toString());
    Run list = Run.of("volumes", "list", "--directory", directory.toString());
    Run accepted = Run.of("store", "accept", "--directory", directory.toString(), "--yes");

    assertThat(look.code()).isEqualTo(ExitCode.FAILED);
    assertThat(look.outLines()).hasSize(3);
    assertThat(look.outLines().get(1)).startsWith("  JOURNAL_DAMAGED: ");
    assertThat(list.code()).isEqualTo(ExitCode.FAILED);
    assertThat(list.err()).contains("JOURNAL_DAMAGED: ");
    assertThat(accepted.code()).as(accepted.err()).isZero();
    assertThat(accepted.outLines().get(0))
        .matches(
            "Store '(local-[-0-9a-f]+)' was accepted. It accepts writes, and is store '\\1' from"
                + " now on\\.");
    assertThat(Run.of("store", "accept", "--directory", directory.toString()).code()).isZero();
  }

  @Test
  @EtcdTest
  void aRestoredEtcdIsAcceptedOnceAPersonSaysSo() throws Exception {
    try (EtcdServer etcd = EtcdServer.start(Files.createDirectory(temp.resolve("etcd")))) {
      EtcdSettings settings = EtcdSettings.of(etcd.endpoint());
      try (EtcdStore store = EtcdStore.open(settings)) {
        put(store, "db");
      }
      etcd.deleteMark("/csi4j/store");
      String[] look = {"store", "accept", "--etcd", etcd.address()};

      Run first = Run.of(look);

      assertThat(first.code()).isEqualTo(ExitCode.FAILED);
      assertThat(first.outLines()).hasSize(3);
      assertThat(first.outLines().get(0)).matches("Store '.+' needs a decision:");
      assertThat(first.outLines().subList(1, 3))
          .containsExactly(
              "  The store accepts no writes: it has records but no mark, like a restored older"
                  + " copy.",
              "Nothing was changed. Compare its claims with the records and mounts of every node,"
                  + " and its volumes with the storage systems; then repeat the command with"
                  + " --yes.");
      Path directory = filled();
      Run move =
          Run.of(
              "store",
              "move",
              "--from-directory",
              directory.toString(),
              "--to-etcd",
              etcd.address());
      assertThat(move.code()).isEqualTo(ExitCode.NO_CONNECTION);
      assertThat(move.errLines())
          .singleElement()
          .asString()
          .endsWith("then accept the store with 'csi4j store accept'.");

      Run accepted = Run.of("store", "accept", "--etcd", etcd.address(), "--yes");

      assertThat(accepted.code()).as(accepted.err()).isZero();
      try (EtcdStore store = EtcdStore.open(settings)) {
        assertThat(store.readOnly()).isEmpty();
        assertThat(accepted.outLines())
            .containsExactly(
                first.outLines().get(0).replace(" needs a decision:", "")
                    + " was accepted. It accepts writes, and is store '"
                    + store.identity()
                    + "' from now on.",
                "Restart every process that used the store before, and update the"
                    + " settings that name it.");
      }
      assertThat(Run.of(look).code()).isZero();
    }
  }

  @Test
  @EtcdTest
  void aClusterThatIsMovedOrRestoredWorksWithTheOtherStore() throws Exception {
    try (EtcdServer etcd = EtcdServer.start(Files.createDirectory(temp.resolve("etcd")))) {
      Path directory = filled();
      ClusterIdentity cluster;
      try (LocalStore store = LocalStore.open(directory)) {
        cluster = new ClusterSetup(store).create();
      }
      String[] move = {
        "store", "move", "--from-directory", directory.toString(), "--to-etcd", etcd.address()
      };

      Run moved = Run.of(move);

      assertThat(moved.code()).as(moved.err()).isZero();
      EtcdSettings settings = EtcdSettings.of(etcd.endpoint());
      try (EtcdStore store = EtcdStore.open(settings)) {
        ClusterSetup setup = new ClusterSetup(store);
        assertThat(setup.identity()).contains(cluster);
        assertThat(setup.isAccepted()).isTrue();
      }
      Run again = Run.of(move);
      assertThat(again.code()).as(again.err()).isZero();
      assertThat(again.outLines())
          .containsExactly(
              moved.outLines().get(0),
              "An earlier run has completed the move; nothing was written now.");

      etcd.deleteMark("/csi4j/store");
      String[] accept = {"store", "accept", "--etcd", etcd.address()};
      assertThat(Run.of(accept).outLines())
          .contains(
              "  The cluster worked with another store before its records were restored or moved"
                  + " into this one. Accept this one with 'csi4j store accept'.");
      assertThat(Run.of("store", "accept", "--etcd", etcd.address(), "--yes").code()).isZero();
      try (EtcdStore store = EtcdStore.open(settings)) {
        assertThat(new ClusterSetup(store).isAccepted()).isTrue();
      }
    }
  }

  @Test
  void theIdentityOfAClusterIsMadeOnceAndShown() {
    Path directory = filled();
    String[] show = {"store", "identity", "--directory", directory.toString()};
    Run none = Run.of(show);
    assertThat(none.code()).isEqualTo(ExitCode.FAILED);
    assertThat(none.out()).isEmpty();
    assertThat(none.errLines())
        .containsExactly("The cluster has no identity. Give it one with --create.");
    String[] create = {"store", "identity", "--directory", directory.toString(), "--create"};

    Run made = Run.of(create);

    assertThat(made.code()).as(made.err()).isZero();
    String identity;
    try (RecordStore store = LocalStore.look(directory, Optional.empty())) {
      identity = new ClusterSetup(store).identity().orElseThrow().value();
      assertThat(store.scan(Space.VOLUMES, Optional.empty(), 9).records()).hasSize(1);
    }
    assertThat(made.outLines()).containsExactly(identity);
    Run again = Run.of(create);
    assertThat(again.code()).isEqualTo(ExitCode.FAILED);
    assertThat(again.out()).isEmpty();
    assertThat(again.errLines())
        .singleElement()
        .asString()
        .startsWith("CSI-")
        .contains(" CLUSTER_EXISTS: ", "'" + identity + "'");
    Run shown = Run.of(show);
    assertThat(shown.code()).as(shown.err()).isZero();
    assertThat(shown.outLines()).containsExactly(identity);
    assertThat(shown.err()).isEmpty();
  }

  @Test
  void aFormerIdentityIsGivenBack() {
    String[] create = {"store", "identity", "--directory", filled().toString(), "--create", ""};
    create[5] = "blue";
    Run wrong = Run.of(create);
    assertThat(wrong.code()).isEqualTo(ExitCode.USAGE);
    assertThat(wrong.err()).contains("has 13 characters of a-z and 2-7, not 'blue'.");
    create[5] = "abcdefghijk27";

    Run made = Run.of(create);

    assertThat(made.code()).as(made.err()).isZero();
    assertThat(made.outLines()).containsExactly("abcdefghijk27");
    assertThat(Run.of("store", "identity", "--directory", create[3]).outLines())
        .containsExactly("abcdefghijk27");
  }

  @Test
  void theIdentityOfAStoreWithACopyOfItsRecordsIsShownWithAWarning() {
    RecordKey key = new RecordKey(Space.CLUSTER, "identity");
    Path copy = temp.resolve("copy");
    ClusterIdentity cluster;
    try (LocalStore store = LocalStore.open(filled());
        LocalStore restored = LocalStore.open(copy)) {
      cluster = new ClusterSetup(store).create();
      copyRecord(key, store, restored);
    }

    Run shown = Run.of("store", "identity", "--directory", copy.toString());

    assertThat(shown.code()).isEqualTo(ExitCode.FAILED);
    assertThat(shown.outLines()).containsExactly(cluster.value());
    assertThat(shown.errLines())
        .containsExactly(
            "The cluster worked with another store before its records were restored or moved into"
                + " this one. Accept this one with 'csi4j store accept'.");
  }

  @Test
  void anIdentityThatCannotBeReadIsAWarningBesideTheClaims() {
    Path directory = temp.resolve("store");
    try (LocalStore store = LocalStore.open(directory)) {
      new ClaimBook(store, Clock.systemUTC()).claim(StoreMoveTest.wish("web"));
      put(store, new RecordKey(Space.CLUSTER, "identity"));
    }

    Run claims = Run.of("claims", "list", "--directory", directory.toString());

    assertThat(claims.code()).isEqualTo(ExitCode.FAILED);
    assertThat(claims.outLines())
        .hasSize(2)
        .last()
        .asString()
        .startsWith("default/volume-7  SINGLE_NODE_WRITER");
    assertThat(claims.errLines())
        .containsExactly(
            "CSI-956 CATALOG_UNREADABLE: reading the identity of the cluster: Reading the identity"
                + " of the cluster failed: It has format 9, and this version reads format 1;"
                + " nothing was changed or deleted. Run the csi4j version"
                + " that wrote it, or a later one.");
  }

  @Test
  void aDirectoryWithoutAStoreIsNotMadeOne() throws Exception {
    Path other = Files.createDirectory(temp.resolve("other"));
    for (String[] args :
        new String[][] {
          {"store", "take-back", "--directory", other.toString()},
          {"store", "take-back", "--directory", temp + "/typo"},
          {"store", "move", "--from-directory", temp + "/typo", "--to-etcd", "http://127.0.0.1:1"},
          {"store", "move", "--from-directory", other.toString(), "--to-etcd", "http://127.0.0.1:1"}
        }) {
      Run run = Run.of(args);
      assertThat(run.code()).as(run.out()).isEqualTo(ExitCode.NO_CONNECTION);
      assertThat(run.errLines()).last().asString().endsWith("Give the directory of a journal.");
    }
    assertThat(other).isEmptyDirectory();
    assertThat(temp.resolve("typo")).doesNotExist();
  }
}
