package io.csi4j.volume.kill;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.Scratch;
import io.csi4j.testkit.referee.Breach;
import io.csi4j.volume.kill.KillWorld.Use;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * A process is killed with a volume at each named moment of each deed, once for a workload that is
 * wanted afterwards and once for one that is not; another process goes on. There is one kill: each
 * volume stands still at a moment of its own when it comes. The tests tell what became of them.
 */
@Tag("campaign")
@MountTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class KillPointsTest {

  /** What is being done when the process is killed. */
  private enum Deed {
    /** The first workload gets the volume. */
    FIRST_MOUNT("mount", "w1", ""),
    /** A second workload gets the volume. */
    SECOND_MOUNT("mount", "w2", "w1"),
    /** One of two workloads gives the volume back. */
    ONE_RELEASE("unmount", "w2", "w1 w2"),
    /** The only workload gives the volume back. */
    LAST_RELEASE("unmount", "w1", "w1");

    private final String verb;
    private final String workload;
    private final String before;

    Deed(String verb, String workload, String before) {
      this.verb = verb;
      this.workload = workload;
      this.before = before;
    }

    /** The workloads that have the volume when it begins. */
    List<String> before() {
      return before.isEmpty() ? List.of() : List.of(before.split(" ", -1));
    }

    String answer() {
      return verb + "ed ";
    }

    /** The workloads that have the volume all the time. */
    List<String> bystanders() {
      return before().stream().filter(each -> !each.equals(workload)).toList();
    }
  }

  private record Case(Deed deed, String point, boolean wanted, Use use) {

    /** Whose deed it is that the kill cuts short. */
    Use actor() {
      return use.by(deed.workload);
    }

    List<Use> wantedUses() {
      List<Use> uses = new ArrayList<>(deed.bystanders().stream().map(use::by).toList());
      if (wanted) {
        uses.add(actor());
      }
      return uses;
    }

    @Override
    public String toString() {
      return deed + " killed at " + point + (wanted ? ", wanted" : ", not wanted");
    }
  }

  private final Map<Deed, Set<String>> moments = new EnumMap<>(Deed.class);
  private final Map<Case, List<String>> wrong = new LinkedHashMap<>();
  private final List<String> moved = new ArrayList<>();
  private List<String> left;
  private List<Breach> breaches;

  @BeforeAll
  void killOnceAndRecover(Scratch scratch) {
    try (KillWorld world = new KillWorld(scratch)) {
      EngineProcess first = world.engine();
      for (Deed deed : Deed.values()) {
        moments.put(deed, momentsOf(deed, first, world.volume("probe-" + deed)));
      }
      List<Case> cases = new ArrayList<>();
      moments.forEach(
          (deed, points) -> points.forEach(point -> prepare(deed, point, cases, world)));
      for (Case each : cases) {
        each.deed.before().forEach(w -> first.ask("mount " + each.use.by(w), "mounted "));
        first.park(each.point, each.deed.verb + " " + each.actor());
      }
      Map<String, Long> before = world.mounts();
      first.kill();
      assertThat(world.mounts()).isEqualTo(before);

      EngineProcess second = world.engine();
      second.ask("reconcile " + words(cases), "reconciled ");
      second.awaitRest();
      cases.forEach(each -> wrong.put(each, wrong(each, world)));
      cases.forEach(each -> moved.addAll(moved(each, before, world)));

      cases.forEach(
          each -> each.wantedUses().forEach(use -> second.ask("unmount " + use, "unmounted ")));
      left = world.left();
      second.end();
      breaches = world.breaches();
    }
  }

  /** Which moments a deed passes, seen on a volume that is in nobody's way. */
  private static Set<String> momentsOf(Deed deed, EngineProcess engine, Use use) {
    deed.before().forEach(w -> engine.ask("mount " + use.by(w), "mounted "));
    engine.ask("passed", "passed");
    engine.ask(deed.verb + " " + use.by(deed.workload), deed.answer());
    String passed = engine.ask("passed", "passed");
    deed.bystanders().forEach(w -> engine.ask("unmount " + use.by(w), "unmounted "));
    if (deed.verb.equals("mount")) {
      engine.ask("unmount " + use.by(deed.workload), "unmounted LAST");
    }
    return new LinkedHashSet<>(List.of(passed.split(" ", -1)));
  }

  private static void prepare(Deed deed, String point, List<Case> cases, KillWorld world) {
    for (boolean wanted : new boolean[] {true, false}) {
      Use use = world.volume("v" + cases.size());
      cases.add(new Case(deed, point, wanted, use));
    }
  }

  private static String words(List<Case> cases) {
    List<String> words = new ArrayList<>();
    cases.forEach(each -> each.wantedUses().forEach(use -> words.add(use.toString())));
    return String.join(" ", words);
  }

  private static List<String> wrong(Case each, KillWorld world) {
    List<String> wrong = new ArrayList<>();
    each.wantedUses().forEach(use -> wrong.addAll(world.wrongIfWanted(use)));
    if (!each.wanted) {
      wrong.addAll(
          each.wantedUses().isEmpty() ? world.leftOf(each.use) : world.leftOfUse(each.actor()));
    }
    return wrong;
  }

  /** What had to stay as it was, and did not. */
  private static List<String> moved(Case each, Map<String, Long> before, KillWorld world) {
    Map<String, Long> now = world.mounts();
    return each.deed.bystanders().stream()
        .map(workload -> world.target(each.use.by(workload)).toString())
        .filter(path -> !before.get(path).equals(now.get(path)))
        .map(path -> path + " of " + each)
        .toList();
  }

  /** Nothing is wrong with what was killed at these moments, and something was killed there. */
  private void assertGoodAt(String... points) {
    for (String point : points) {
      Map<Case, List<String>> here = new LinkedHashMap<>(wrong);
      here.keySet().removeIf(each -> !each.point.equals(point));
      assertThat(here).as(point).hasSizeGreaterThanOrEqualTo(2);
      here.values().removeIf(List::isEmpty);
      assertThat(here).isEmpty();
    }
  }

  @Test
  void everyNamedMomentIsOneAtWhichAVolumeWasKilled() {
    assertThat(moments.get(Deed.FIRST_MOUNT))
        .containsExactly(
            "ADMITTED",
            "INTENT_SAVED",
            "VOLUME_PREPARED",
            "BEFORE_STAGE",
            "STAGE_ANSWERED",
            "STAGING_SEEN",
            "STAGED_SAVED",
            "USE_PREPARED",
            "BEFORE_PUBLISH",
            "PUBLISH_ANSWERED",
            "TARGET_SEEN",
            "PUBLISHED_SAVED",
            "CALLER_TOLD");
    assertThat(moments.get(Deed.SECOND_MOUNT))
        .contains(
            "ADMITTED",
            "USE_PREPARED",
            "BEFORE_PUBLISH",
            "PUBLISH_ANSWERED",
            "TARGET_SEEN",
            "PUBLISHED_SAVED",
            "CALLER_TOLD");
    assertThat(moments.get(Deed.ONE_RELEASE))
        .contains(
            "RELEASE_SAVED",
            "BEFORE_UNPUBLISH",
            "UNPUBLISH_ANSWERED",
            "USE_REMOVED",
            "USE_END_SAVED");
    assertThat(moments.get(Deed.LAST_RELEASE))
        .containsExactly(
            "RELEASE_SAVED",
            "BEFORE_UNPUBLISH",
            "UNPUBLISH_ANSWERED",
            "USE_REMOVED",
            "USE_END_SAVED",
            "BEFORE_UNSTAGE",
            "UNSTAGE_ANSWERED",
            "VOLUME_REMOVED",
            "TOMBSTONE_SAVED");
  }

  @Test
  void nothingIsKnownOfAMountThatWasOnlyAdmitted() {
    assertGoodAt("ADMITTED");
  }

  @Test
  void anIntentAloneIsFulfilledOrReversed() {
    assertGoodAt("INTENT_SAVED");
  }

  @Test
  void directoriesAloneAreUsedOrRemoved() {
    assertGoodAt("VOLUME_PREPARED");
  }

  @Test
  void aStagingThatMayBeUnderWayIsRepeatedOrReversed() {
    assertGoodAt("BEFORE_STAGE");
  }

  @Test
  void aStagingWhoseAnswerWasNotRememberedIsRepeatedOrReversed() {
    assertGoodAt("STAGE_ANSWERED", "STAGING_SEEN");
  }

  @Test
  void aStagingThatIsRememberedIsGoneOnFromOrReversed() {
    assertGoodAt("STAGED_SAVED");
  }

  @Test
  void theDirectoryAboveATargetIsUsedOrRemoved() {
    assertGoodAt("USE_PREPARED");
  }

  @Test
  void aPublishThatMayBeUnderWayIsRepeatedOrReversed() {
    assertGoodAt("BEFORE_PUBLISH");
  }

  @Test
  void aPublishWhoseAnswerWasNotRememberedIsRepeatedOrReversed() {
    assertGoodAt("PUBLISH_ANSWERED", "TARGET_SEEN");
  }

  @Test
  void aUseOfWhichTheCallerWasNotToldIsAdoptedOrGivenUp() {
    assertGoodAt("PUBLISHED_SAVED");
  }

  @Test
  void aUseOfWhichTheCallerWasToldIsAdoptedOrGivenUp() {
    assertGoodAt("CALLER_TOLD");
  }

  @Test
  void aReleaseThatWasIntendedGoesOn() {
    assertGoodAt("RELEASE_SAVED");
  }

  @Test
  void anUnpublishWhoseAnswerWasNotRememberedIsRepeated() {
    assertGoodAt("BEFORE_UNPUBLISH", "UNPUBLISH_ANSWERED");
  }

  @Test
  void aTargetThatIsGoneIsForgotten() {
    assertGoodAt("USE_REMOVED");
  }

  @Test
  void theUnstagingAfterTheLastUseGoesOn() {
    assertGoodAt("USE_END_SAVED");
  }

  @Test
  void aStagingThatMayBeGoneIsMadeAgainOrReversed() {
    assertGoodAt("BEFORE_UNSTAGE", "UNSTAGE_ANSWERED");
  }

  @Test
  void directoriesThatWereRemovedAreForgottenOrMadeAgain() {
    assertGoodAt("VOLUME_REMOVED");
  }

  @Test
  void aVolumeThatWasBuriedCanBeMountedAgain() {
    assertGoodAt("TOMBSTONE_SAVED");
  }

  @Test
  void theMountsOfOtherWorkloadsStayTheSameMounts() {
    assertThat(moved).isEmpty();
  }

  @Test
  void thePluginIsAskedForNothingThatCsiForbids() {
    assertThat(breaches).isEmpty();
  }

  @Test
  void nothingIsLeftWhenAllIsGivenBack() {
    assertThat(left).isEmpty();
  }
}
