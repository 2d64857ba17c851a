package io.csi4j.testkit.internal.referee;

import static io.csi4j.client.model.CsiOperation.CONTROLLER_GET_VOLUME;
import static io.csi4j.client.model.CsiOperation.CONTROLLER_PUBLISH_VOLUME;
import static io.csi4j.client.model.CsiOperation.LIST_VOLUMES;
import static io.csi4j.client.model.CsiOperation.NODE_PUBLISH_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_UNPUBLISH_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_UNSTAGE_VOLUME;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.referee.Breach;
import io.csi4j.testkit.referee.DutyId;
import io.csi4j.testkit.referee.UnlawfulCallerException;
import io.csi4j.testkit.referee.Verdict;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The defects of volume managers in the field, as the plugin sees them. */
class CallerDefectsTest {

  private static final String MANY = "SINGLE_NODE_MULTI_WRITER";

  private final Toy toy = Toy.introduced(PluginShape.full());

  private void isBroken(Integer... duties) {
    Verdict verdict = toy.verdict();
    assertThat(verdict.broken())
        .as(verdict.describe())
        .containsExactlyElementsOf(List.of(duties).stream().map(DutyId::of).toList());
  }

  private void twoWorkloads() {
    String capability = Toy.capability(MANY);
    toy.create("v1", MANY)
        .attach("v1", capability)
        .stage("v1", capability)
        .publish("v1", "/t/a", capability)
        .publish("v1", "/t/b", capability);
  }

  @Test
  void aFailedUnpublicationTakenForASuccess() {
    toy.use("v1")
        .fail(NODE_UNPUBLISH_VOLUME, Toy.unpublished("v1", "/t/v1"), StatusCode.UNAVAILABLE)
        .unstage("v1");
    isBroken(142, 143);
  }

  @Test
  void aWorkloadThatIsClaimedOnlyAfterItsPublication() {
    twoWorkloads();
    toy.unpublish("v1", "/t/a").unstage("v1");
    isBroken(142, 143, 149);
  }

  @Test
  void anAttachmentThatIsNotToldHowTheVolumeIsMounted() {
    String mounted = Toy.capability(MANY).replace("mount {}", "mount { mount_flags: 'relatime' }");
    toy.create("v1", MANY).attach("v1", Toy.capability(MANY)).stage("v1", mounted);
    isBroken(553);
  }

  @Test
  void stagingAndUnstagingAtTheSameTime() {
    toy.use("v1").unpublish("v1", "/t/v1");
    long unstage = toy.begin(NODE_UNSTAGE_VOLUME, Toy.unstaged("v1"));
    long publish = toy.begin(NODE_PUBLISH_VOLUME, toy.published("v1", "/t/v1"));
    toy.end(unstage, Toy.answered(NODE_UNSTAGE_VOLUME, ""), true);
    toy.end(publish, Toy.answered(NODE_PUBLISH_VOLUME, ""), true);
    isBroken(49, 50);
  }

  @Test
  void anAccountOfWorkloadsThatIsLostInARestart() {
    twoWorkloads();
    toy.introduce().unpublish("v1", "/t/b").unstage("v1").detach("v1");
    isBroken(142, 143, 146, 147, 149);
  }

  @Test
  void aStrayUnmountTakenForTheLastOne() {
    toy.use("v1").unpublish("v1", "/t/stray").unstage("v1");
    isBroken(142, 143, 149, 556);
  }

  @Test
  void aStagingForgottenWhenItsUnstagingFailed() {
    toy.use("v1")
        .unpublish("v1", "/t/v1")
        .fail(NODE_UNSTAGE_VOLUME, Toy.unstaged("v1"), StatusCode.INTERNAL)
        .detach("v1")
        .delete("v1");
    isBroken(145, 146, 152);
  }

  @Test
  void aStagingWithoutOwnerAfterAFailedPublication() {
    toy.create("v1")
        .attach("v1")
        .stage("v1")
        .fail(NODE_PUBLISH_VOLUME, toy.published("v1", "/t/v1"), StatusCode.FAILED_PRECONDITION)
        .detach("v1");
    isBroken(145, 146, 148);
  }

  @Test
  void aStagingPathForEachWayOfUse() {
    twoWorkloads();
    toy.stage("v1", Toy.capability(MANY), "staging_target_path: '/s/v1-ro'");
    isBroken(141, 378);
  }

  @Test
  void aTargetThatTheCallerRemovesItself() {
    toy.use("v1")
        .at("target_path", io.csi4j.testkit.journal.PathFact.MISSING)
        .ok(NODE_UNPUBLISH_VOLUME, Toy.unpublished("v1", "/t/v1"));
    isBroken(435);
  }

  @Test
  void anUnstagingAfterEachWorkload() {
    twoWorkloads();
    toy.unpublish("v1", "/t/a").unstage("v1").unpublish("v1", "/t/b").unstage("v1").detach("v1");
    isBroken(142, 143, 149);
  }

  @Test
  void aStoryNamesTheCallsAndSaysWhatToDo() {
    toy.use("v1").unstage("v1");
    Breach breach = toy.verdict().breaches().get(0);
    assertThat(breach.story())
        .isEqualTo(
            "D-142 broken: call 12 NodeUnstageVolume of volume 'v1' on node 'node-1' while it is"
                + " still published at '/t/v1' (call 11). Unpublish every target first.");
    assertThat(breach.calls().stream().map(RecordedCall::number)).containsExactly(11L, 12L);
    assertThatThrownBy(() -> toy.verdict().assertLawful())
        .isInstanceOf(UnlawfulCallerException.class)
        .hasMessageContaining(breach.story());
  }

  @Test
  void aBreachThatComesAgainIsCountedAndToldOnce() {
    IntStream.range(0, 5).forEach(i -> toy.fail(LIST_VOLUMES, "", StatusCode.UNIMPLEMENTED));
    Verdict verdict = toy.verdict();
    assertThat(verdict.breaches()).hasSize(4);
    assertThat(verdict.describe()).contains("(and 3 more time(s))").containsOnlyOnce("D-083");
  }

  @Test
  void adviceLeavesACallerLawful() {
    toy.use("v1").stage("v1");
    Verdict verdict = toy.verdict();
    assertThat(verdict.broken()).containsExactly(DutyId.of(373));
    assertThat(verdict.lawful()).isTrue();
    assertThat(verdict.describe()).contains("Advice");
  }

  @Test
  void aJournalThatWasClearedAccusesNobodyOfWhatItDoesNotShow() {
    Toy cleared = Toy.introduced(PluginShape.full()).use("v1").leave("v1").delete("v1");
    Verdict verdict = AllRules.judge(cleared.events().subList(30, cleared.events().size()));
    assertThat(verdict.broken()).as(verdict.describe()).isEmpty();
  }

  @Test
  void anUpgradeIsHeldAgainstNobodyWhoWasNotTold() {
    toy.create("v1")
        .start(PluginShape.noAttach())
        .fail(CONTROLLER_PUBLISH_VOLUME, toy.attached("v1"), StatusCode.UNIMPLEMENTED)
        .ok(CONTROLLER_GET_VOLUME, Toy.id("v1"));
    assertThat(toy.verdict().broken()).as(toy.verdict().describe()).isEmpty();
  }

  @Tag("campaign")
  @Test
  void tenThousandCallsAreJudged() {
    IntStream.range(0, 1000).forEach(i -> toy.use("v" + i).leave("v" + i).delete("v" + i));
    assertThat(toy.verdict().broken()).as(toy.verdict().describe()).isEmpty();
  }
}
