package io.csi4j.volume.kill;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.campaign.PlayedInShares;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.Scratch;
import io.csi4j.volume.kill.KillWorld.Use;
import java.io.BufferedReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a host that dies, comes back, dies again or comes twice means for the mounts. */
@MountTest
class KilledHostTest {

  private KillWorld world;

  @BeforeEach
  void begin(Scratch scratch) {
    world = new KillWorld(scratch);
  }

  @AfterEach
  void end() {
    world.close();
  }

  @Test
  void aWorkloadThatHoldsAFileOpenSeesNoErrorWhileItsHostIsKilledAndComesBack() throws Exception {
    Use use = world.volume("db");
    EngineProcess first = world.engine();
    Path log = Path.of(first.ask("mount " + use, "mounted ")).resolve("log");
    Process workload =
        new ProcessBuilder("tee", "-a", log.toString()).redirectErrorStream(true).start();
    try (PrintStream lines = new PrintStream(workload.getOutputStream(), true)) {
      BufferedReader echoed = workload.inputReader(StandardCharsets.UTF_8);
      lines.println("before");
      assertThat(echoed.readLine()).isEqualTo("before");
      Map<String, Long> mounts = world.mounts();

      first.kill();
      lines.println("while nobody manages it");
      assertThat(echoed.readLine()).isEqualTo("while nobody manages it");

      EngineProcess second = world.engine();
      assertThat(second.opened()).startsWith("opened adopted=1 inDoubt=0 going=0");
      assertThat(second.ask("has " + use, "has ")).isEqualTo("true");
      second.ask("reconcile " + use, "reconciled mounted=0 released=0 failed=0");
      lines.println("after");
      assertThat(echoed.readLine()).isEqualTo("after");
      assertThat(world.mounts()).isEqualTo(mounts);
    }
    assertThat(workload.waitFor()).isZero();
    assertThat(Files.readAllLines(log))
        .containsExactly("before", "while nobody manages it", "after");
  }

  @Tag("campaign")
  @Test
  @Tag("I-8")
  void aHostThatIsAskedToEndUnmountsNothing() {
    Use use = world.volume("db");
    EngineProcess first = world.engine();
    first.ask("mount " + use, "mounted ");
    Map<String, Long> mounts = world.mounts();

    assertThat(first.terminate()).isEqualTo(128 + 15);

    assertThat(world.mounts())
        .as("I-8: ending by a signal unmounts nothing")
        .isEqualTo(mounts)
        .hasSize(2);
    assertThat(world.engine().opened()).startsWith("opened adopted=1 inDoubt=0 going=0");
  }

  @Tag("campaign")
  @Test
  void aHostThatEndsInOrderUnmountsNothing() {
    Use use = world.volume("db");
    EngineProcess first = world.engine();
    first.ask("mount " + use, "mounted ");
    Map<String, Long> mounts = world.mounts();

    first.end();

    assertThat(world.mounts()).isEqualTo(mounts).hasSize(2);
    assertThat(world.engine().opened()).startsWith("opened adopted=1 inDoubt=0 going=0");
  }

  @Tag("campaign")
  @Test
  void aSecondHostOverTheSameDirectoryIsRefusedAndTheFirstGoesOn() {
    Use use = world.volume("db");
    EngineProcess first = world.engine();
    first.ask("mount " + use, "mounted ");

    EngineProcess second = world.engine();

    assertThat(second.opened()).startsWith("refused STATE_IN_USE ").contains("" + first.pid());
    assertThat(first.ask("mount " + use.by("w2"), "mounted ")).isNotEmpty();
    assertThat(world.wrongIfWanted(use)).isEmpty();
    first.kill();
    assertThat(world.engine().opened()).startsWith("opened adopted=2 inDoubt=0 going=0");
  }

  @Tag("campaign")
  @PlayedInShares
  @Test
  void aRecoveryThatIsKilledAgainAndAgainEndsWellAllTheSame() {
    List<Use> wanted = List.of(world.volume("a"), world.volume("b"), world.volume("c"));
    List<Use> unwanted = List.of(world.volume("d"), world.volume("e"), world.volume("f"));
    EngineProcess engine = world.engine();
    for (List<Use> each : List.of(wanted, unwanted)) {
      engine.park("BEFORE_STAGE", "mount " + each.get(0));
      engine.park("PUBLISH_ANSWERED", "mount " + each.get(1));
      engine.ask("mount " + each.get(2), "mounted ");
      engine.park("BEFORE_UNSTAGE", "unmount " + each.get(2));
    }
    engine.kill();

    String order = "reconcile " + String.join(" ", wanted.stream().map(Use::toString).toList());
    List<String> killedAt = new ArrayList<>();
    for (int nth = 1; nth <= 6; nth++) {
      EngineProcess next = world.engine();
      Optional<String> point = next.parkAt(nth, List.of(order));
      point.ifPresent(killedAt::add);
      next.kill();
    }
    assertThat(killedAt).hasSizeGreaterThanOrEqualTo(5);

    EngineProcess last = world.engine();
    last.ask(order, "reconciled ");
    last.awaitRest();
    assertThat(wanted).allSatisfy(use -> assertThat(world.wrongIfWanted(use)).isEmpty());
    assertThat(unwanted).allSatisfy(use -> assertThat(world.leftOf(use)).isEmpty());
    wanted.forEach(use -> last.ask("unmount " + use, "unmounted LAST"));
    assertThat(world.left()).isEmpty();
    assertThat(world.breaches()).isEmpty();
  }

  @Tag("campaign")
  @Test
  void inANewMountNamespaceNothingIsAdoptedAndAllIsMadeSureOf() {
    world.shareMounts();
    Use wanted = world.volume("wanted");
    Use unwanted = world.volume("unwanted");
    EngineProcess first = world.engine();
    first.ask("mount " + wanted, "mounted ");
    first.ask("mount " + unwanted, "mounted ");
    first.kill();

    EngineProcess second = world.engine("unshare", "-m", "--propagation", "unchanged");

    assertThat(second.opened())
        .isEqualTo(
            "opened adopted=0 inDoubt=2 going=0 findings=NAMESPACE_CHANGED,WAITING_FOR_HOST");
    second.ask("reconcile " + wanted, "reconciled ");
    second.awaitRest();
    assertThat(second.ask("has " + wanted, "has ")).isEqualTo("true");
    assertThat(world.wrongIfWanted(wanted)).isEmpty();
    assertThat(world.leftOf(unwanted)).isEmpty();
  }

  @Tag("campaign")
  @Test
  void aMountNamespaceThatGotTheInodeOfAnEndedOneIsANewOne() {
    world.shareMounts();
    Use use = world.volume("db");
    EngineProcess first = world.engine("unshare", "-m", "--propagation", "unchanged");
    first.ask("mount " + use, "mounted ");
    first.kill();

    EngineProcess second = world.engine("unshare", "-m", "--propagation", "unchanged");

    assertThat(second.opened()).startsWith("opened adopted=0 inDoubt=1 going=0");
    assertThat(second.opened()).contains("NAMESPACE_CHANGED");
    second.ask("reconcile " + use, "reconciled ");
    second.awaitRest();
    assertThat(world.wrongIfWanted(use)).isEmpty();
  }
}
