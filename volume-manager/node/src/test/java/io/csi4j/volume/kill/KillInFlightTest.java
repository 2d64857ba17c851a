package io.csi4j.volume.kill;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.mount.real.Eventually;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.Scratch;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.FaultRule;
import io.csi4j.testkit.fault.When;
import io.csi4j.volume.kill.KillWorld.Use;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * A process is killed while the plugin has a call of it, of each kind: once the plugin had done it
 * already, once it never will; once the workload is wanted afterwards, once not.
 */
@Tag("campaign")
@MountTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class KillInFlightTest {

  private record Case(CsiOperation call, boolean done, boolean wanted, Use use) {

    boolean isMount() {
      return call == CsiOperation.NODE_STAGE_VOLUME || call == CsiOperation.NODE_PUBLISH_VOLUME;
    }

    @Override
    public String toString() {
      return call + (done ? " done" : " not done") + (wanted ? ", wanted" : ", not wanted");
    }
  }

  private final Map<Case, List<String>> wrong = new LinkedHashMap<>();

  @BeforeAll
  void killOnceAndRecover(Scratch scratch) {
    try (KillWorld world = new KillWorld(scratch)) {
      EngineProcess first = world.engine();
      List<Case> cases = cases(world);
      for (Case each : cases) {
        if (!each.isMount()) {
          first.ask("mount " + each.use, "mounted ");
        }
        FaultRule rule =
            world
                .plugin()
                .inject(
                    each.done ? Fault.applyThenHang() : Fault.hang(),
                    When.calling(each.call).ofVolume(each.use.handle()).once());
        first.order((each.isMount() ? "mount " : "unmount ") + each.use);
        Eventually.isTrue("the plugin has the call " + each, () -> rule.hits() > 0);
      }
      first.kill();

      EngineProcess second = world.engine();
      List<String> wanted =
          cases.stream().filter(Case::wanted).map(each -> each.use.toString()).toList();
      second.ask("reconcile " + String.join(" ", wanted), "reconciled ");
      second.awaitRest();
      for (Case each : cases) {
        wrong.put(each, each.wanted ? world.wrongIfWanted(each.use) : world.leftOf(each.use));
      }
    }
  }

  private static List<Case> cases(KillWorld world) {
    List<Case> cases = new ArrayList<>();
    for (CsiOperation call :
        List.of(
            CsiOperation.NODE_STAGE_VOLUME,
            CsiOperation.NODE_PUBLISH_VOLUME,
            CsiOperation.NODE_UNPUBLISH_VOLUME,
            CsiOperation.NODE_UNSTAGE_VOLUME)) {
      for (int i = 0; i < 4; i++) {
        cases.add(new Case(call, i < 2, i % 2 == 0, world.volume("v" + cases.size())));
      }
    }
    return cases;
  }

  private void assertGoodFor(CsiOperation call) {
    Map<Case, List<String>> here = new LinkedHashMap<>(wrong);
    here.keySet().removeIf(each -> each.call != call);
    assertThat(here).hasSize(4);
    here.values().removeIf(List::isEmpty);
    assertThat(here).isEmpty();
  }

  @Test
  void aStagingThatThePluginHasIsRepeatedOrReversed() {
    assertGoodFor(CsiOperation.NODE_STAGE_VOLUME);
  }

  @Test
  void aPublishThatThePluginHasIsRepeatedOrReversed() {
    assertGoodFor(CsiOperation.NODE_PUBLISH_VOLUME);
  }

  @Test
  void anUnpublishThatThePluginHasIsRepeated() {
    assertGoodFor(CsiOperation.NODE_UNPUBLISH_VOLUME);
  }

  @Test
  void anUnstagingThatThePluginHasIsRepeated() {
    assertGoodFor(CsiOperation.NODE_UNSTAGE_VOLUME);
  }
}
