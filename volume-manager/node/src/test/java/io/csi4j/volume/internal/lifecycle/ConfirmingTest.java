package io.csi4j.volume.internal.lifecycle;

import static io.csi4j.volume.internal.lifecycle.Walk.A;
import static io.csi4j.volume.internal.lifecycle.Walk.B;
import static io.csi4j.volume.internal.lifecycle.Walk.fails;
import static io.csi4j.volume.internal.lifecycle.Walk.fromNothing;
import static io.csi4j.volume.internal.lifecycle.Walk.fromUsedBy;
import static io.csi4j.volume.internal.lifecycle.Walk.publish;
import static io.csi4j.volume.internal.lifecycle.Walk.standing;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.StatusCode;
import io.csi4j.volume.internal.record.ClaimMark;
import io.csi4j.volume.internal.record.PathRecord;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.VolumeVerdict;
import io.csi4j.volume.node.PathStatus;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What a claim allows, and what becomes of what is begun when it does not: one row each. */
class ConfirmingTest {

  private static final Optional<VolumeUse> TARGET = Optional.of(A);
  private static final Event STALE = standing(new ClaimStanding.Stale(9));
  private static final Event LEAVING = standing(new ClaimStanding.Leaving());
  private static final Event MISSING = standing(new ClaimStanding.Missing());
  private static final Event SILENT =
      standing(new ClaimStanding.Unknown(new ReasonText("nobody is there")));

  private static final Event GONE =
      new Event.LookedUp(
          new VolumeVerdict.Gone(
              Messages.of(
                  OperatorCode.VOLUME_GONE, Subject.of("looking for it"), "it is not listed")));
  private static final Event UNJUDGED =
      new Event.LookedUp(new VolumeVerdict.Unknown(new ReasonText("nobody is there")));

  private static final String INTENT =
      "look; save INTENT_SAVED [IN_DOUBT STAGE?, a IN_DOUBT@7?]; make volume; ";
  private static final String STAGED =
      "STAGE; look; save STAGED_SAVED [PRESENT, a IN_DOUBT PUBLISH?@7]; make use; ";
  private static final String NEVER_STAGED =
      "remove use; save USE_END_SAVED [NONE]; remove volume; forget; refused ";
  private static final String UNSTAGED =
      "remove use; save USE_END_SAVED [IN_DOUBT UNSTAGE?]; UNSTAGE; look; remove volume; bury;"
          + " refused ";
  private static final String TAKEN =
      "save RELEASE_SAVED [PRESENT, a GOING UNPUBLISH?@7]; UNPUBLISH; look; remove use;"
          + " save USE_END_SAVED [IN_DOUBT UNSTAGE?]; UNSTAGE; look; remove volume; bury; refused ";

  private static Arguments row(String name, Walk walk, Goal goal, String steps) {
    return Arguments.of(name, walk, goal, steps);
  }

  private static Goal.Publish claimed() {
    return Walk.under(7, publish(A));
  }

  /** Mounted under a claim. */
  private static Walk under(ClaimMark mark) {
    Walk walk = fromUsedBy(A);
    return walk.from(walk.record().withTarget(walk.record().target(A).orElseThrow().under(mark)));
  }

  /** Mounted before a restart, so that nobody knows. */
  private static Walk doubted(ClaimMark mark) {
    Walk walk = under(mark);
    return walk.from(
        walk.record()
            .withTarget(
                walk.record()
                    .target(A)
                    .orElseThrow()
                    .with(PathRecord.NONE.as(PathStatus.IN_DOUBT))));
  }

  private static ClaimMark confirmed(long epoch) {
    return new ClaimMark(epoch, true);
  }

  static Stream<Arguments> acquiring() {
    return Stream.of(
        row(
            "a current claim is asked about before staging and before publishing",
            fromNothing(),
            claimed(),
            INTENT
                + "confirm 7; "
                + STAGED
                + "confirm 7; PUBLISH; look; save PUBLISHED_SAVED [PRESENT, a PRESENT@7];"
                + " published"),
        row(
            "without a claim nobody is asked",
            fromNothing(),
            publish(A),
            "look; save INTENT_SAVED [IN_DOUBT STAGE?, a IN_DOUBT]; make volume; STAGE; look;"
                + " save STAGED_SAVED [PRESENT, a IN_DOUBT PUBLISH?]; make use; PUBLISH; look;"
                + " save PUBLISHED_SAVED [PRESENT, a PRESENT]; published"),
        row(
            "each attempt is asked about",
            fromNothing().at("STAGE", 1, fails(StatusCode.INTERNAL)),
            claimed(),
            INTENT
                + "confirm 7; STAGE; pause; confirm 7; "
                + STAGED
                + "confirm 7; PUBLISH; look; save PUBLISHED_SAVED [PRESENT, a PRESENT@7];"
                + " published"),
        row(
            "stale before staging: nothing is asked of the plugin",
            fromNothing().always("confirm 7", STALE),
            claimed(),
            INTENT + "confirm 7; " + NEVER_STAGED + "FENCED"),
        row(
            "stale before publishing: the staging goes again",
            fromNothing().at("confirm 7", 2, STALE),
            claimed(),
            INTENT + "confirm 7; " + STAGED + "confirm 7; " + UNSTAGED + "FENCED"),
        row(
            "stale beside another use: the staging stays",
            fromUsedBy(B).always("confirm 7", STALE),
            claimed(),
            "look; save INTENT_SAVED [PRESENT, a IN_DOUBT PUBLISH?@7?, b PRESENT]; make use;"
                + " confirm 7; remove use; save USE_END_SAVED [PRESENT, b PRESENT]; refused"
                + " FENCED"),
        row(
            "unconfirmed",
            fromNothing().always("confirm 7", SILENT),
            claimed(),
            INTENT + "confirm 7; " + NEVER_STAGED + "CLAIM_UNCONFIRMED"),
        row(
            "unconfirmed where a record would suffice that is not there",
            fromNothing().always("confirm 7", Walk.recordSuffices()),
            claimed(),
            INTENT + "confirm 7; " + NEVER_STAGED + "CLAIM_UNCONFIRMED"),
        row(
            "missing",
            fromNothing().always("confirm 7", MISSING),
            claimed(),
            INTENT + "confirm 7; " + NEVER_STAGED + "CLAIM_MISSING"),
        row(
            "on its way back",
            fromNothing().always("confirm 7", LEAVING),
            claimed(),
            INTENT + "confirm 7; " + NEVER_STAGED + "CLAIM_BEING_RELEASED"));
  }

  static Stream<Arguments> notFound() {
    String published =
        "confirm 7; PUBLISH; look; save PUBLISHED_SAVED [PRESENT, a PRESENT@7]; published";
    String gone =
        "remove use; save USE_END_SAVED [IN_DOUBT UNSTAGE?]; UNSTAGE; look; remove volume; bury; ";
    return Stream.of(
        row(
            "not found while it is staged, and there: staged again",
            fromNothing().at("STAGE", 1, fails(StatusCode.NOT_FOUND)),
            claimed(),
            INTENT + "confirm 7; STAGE; look up 7; pause; confirm 7; " + STAGED + published),
        row(
            "not found while it is staged, and nobody knows: staged again",
            fromNothing().at("STAGE", 1, fails(StatusCode.NOT_FOUND)).always("look up 7", UNJUDGED),
            claimed(),
            INTENT + "confirm 7; STAGE; look up 7; pause; confirm 7; " + STAGED + published),
        row(
            "never found: asked about once",
            fromNothing().always("STAGE", fails(StatusCode.NOT_FOUND)),
            claimed(),
            INTENT
                + "confirm 7; STAGE; look up 7; pause; confirm 7; STAGE; pause; confirm 7; STAGE; "
                + UNSTAGED
                + "REFUSED_BY_PLUGIN"),
        row(
            "not found while it is staged, and gone",
            fromNothing().always("STAGE", fails(StatusCode.NOT_FOUND)).always("look up 7", GONE),
            claimed(),
            INTENT + "confirm 7; STAGE; look up 7; " + gone + "held VOLUME_GONE"),
        row(
            "not found while it is published, and there: published again",
            fromNothing().at("PUBLISH", 1, fails(StatusCode.NOT_FOUND)),
            claimed(),
            INTENT
                + "confirm 7; "
                + STAGED
                + "confirm 7; PUBLISH; look up 7; pause; look; "
                + published),
        row(
            "not found while it is published, and gone: the staging goes again",
            fromNothing().always("PUBLISH", fails(StatusCode.NOT_FOUND)).always("look up 7", GONE),
            claimed(),
            INTENT
                + "confirm 7; "
                + STAGED
                + "confirm 7; PUBLISH; look up 7; save RELEASE_SAVED [PRESENT, a GOING"
                + " UNPUBLISH?@7]; UNPUBLISH; look; "
                + gone
                + "held VOLUME_GONE"),
        row(
            "found neither while it is staged nor while it is published: asked about once",
            fromNothing()
                .at("STAGE", 1, fails(StatusCode.NOT_FOUND))
                .at("PUBLISH", 1, fails(StatusCode.NOT_FOUND)),
            claimed(),
            INTENT
                + "confirm 7; STAGE; look up 7; pause; confirm 7; "
                + STAGED
                + "confirm 7; PUBLISH; pause; look; "
                + published),
        row(
            "gone beside another use: what that one has stays",
            fromUsedBy(B).always("PUBLISH", fails(StatusCode.NOT_FOUND)).always("look up 7", GONE),
            claimed(),
            "look; save INTENT_SAVED [PRESENT, a IN_DOUBT PUBLISH?@7?, b PRESENT]; make use;"
                + " confirm 7; PUBLISH; look up 7; save RELEASE_SAVED [PRESENT, a GOING"
                + " UNPUBLISH?@7, b PRESENT]; UNPUBLISH; look; remove use; save USE_END_SAVED"
                + " [PRESENT, b PRESENT]; held VOLUME_GONE"),
        row(
            "gone for a workload that may be using it: what is there stays",
            doubted(confirmed(7))
                .always("PUBLISH", fails(StatusCode.NOT_FOUND))
                .always("look up 7", GONE),
            claimed(),
            "look; save INTENT_SAVED [PRESENT, a IN_DOUBT PUBLISH?@7]; make use; confirm 7;"
                + " PUBLISH; look up 7; unfinished VOLUME_GONE"),
        row(
            "gone, and the undoing fails",
            fromNothing()
                .always("STAGE", fails(StatusCode.NOT_FOUND))
                .always("UNSTAGE", fails(StatusCode.INTERNAL))
                .always("look up 7", GONE),
            claimed(),
            INTENT
                + "confirm 7; STAGE; look up 7; remove use; save USE_END_SAVED [IN_DOUBT UNSTAGE?];"
                + " UNSTAGE; pause; UNSTAGE; pause; UNSTAGE;"
                + " unfinished VOLUME_GONE, undoing UNSTAGE_IN_DOUBT"),
        row(
            "without a claim nobody is asked",
            fromNothing().at("STAGE", 1, fails(StatusCode.NOT_FOUND)),
            publish(A),
            "look; save INTENT_SAVED [IN_DOUBT STAGE?, a IN_DOUBT]; make volume; STAGE; pause;"
                + " STAGE; look; save STAGED_SAVED [PRESENT, a IN_DOUBT PUBLISH?]; make use;"
                + " PUBLISH; look; save PUBLISHED_SAVED [PRESENT, a PRESENT]; published"));
  }

  static Stream<Arguments> mounted() {
    String looked = "look; confirm 7; ";
    return Stream.of(
        row("current: nothing is done again", under(confirmed(7)), claimed(), looked + "published"),
        row(
            "current under a newer claim: that is remembered",
            under(confirmed(5)),
            claimed(),
            looked + "save PUBLISHED_SAVED [PRESENT, a PRESENT@7]; published"),
        row(
            "stale: what is mounted goes",
            under(confirmed(7)).always("confirm 7", STALE),
            claimed(),
            looked + TAKEN + "FENCED_WHILE_MOUNTED"),
        row(
            "stale for a running workload whose mount is to be made anew: it goes, too",
            doubted(confirmed(7)).always("confirm 7", STALE),
            claimed().keeping(),
            "look; save INTENT_SAVED [PRESENT, a IN_DOUBT PUBLISH?@7]; make use; confirm 7; "
                + TAKEN
                + "FENCED_WHILE_MOUNTED"),
        row(
            "a newer claim was current here: nobody is asked, and what it has mounted stays",
            under(confirmed(9)),
            claimed(),
            "refused FENCED"),
        row(
            "a newer claim is wanted here, and nobody has confirmed it: the older one is asked"
                + " about",
            under(new ClaimMark(9, false)).always("confirm 7", STALE),
            claimed(),
            looked + "refused FENCED"),
        row(
            "a refresh under a claim before the current one",
            under(confirmed(9)),
            new Goal.Refresh(claimed()),
            "refused FENCED"),
        row(
            "unconfirmed: what was confirmed before stays, and somebody is told",
            under(confirmed(7)).always("confirm 7", SILENT),
            claimed(),
            looked + "note CLAIM_UNCONFIRMED; published"),
        row(
            "unconfirmed under a newer claim: it stays, and is not given to anybody",
            under(confirmed(5)).always("confirm 7", SILENT),
            claimed(),
            looked + "refused CLAIM_UNCONFIRMED"),
        row(
            "missing: what was confirmed before stays, and somebody is told",
            under(confirmed(7)).always("confirm 7", MISSING),
            claimed(),
            looked + "note CLAIM_MISSING; published"),
        row(
            "missing under a newer claim: it stays, and is not given to anybody",
            under(confirmed(5)).always("confirm 7", MISSING),
            claimed(),
            looked + "refused CLAIM_MISSING"),
        row(
            "on its way back: it stays until its release is asked for",
            under(confirmed(7)).always("confirm 7", LEAVING),
            claimed(),
            looked + "refused CLAIM_BEING_RELEASED"));
  }

  static Stream<Arguments> remembered() {
    String intent =
        "look; save INTENT_SAVED [PRESENT, a IN_DOUBT PUBLISH?@7]; make use; confirm 7; ";
    return Stream.of(
        row(
            "confirmed before: the record suffices where the host says so",
            doubted(confirmed(7)).unmount(TARGET).always("confirm 7", Walk.recordSuffices()),
            claimed(),
            intent
                + "note CLAIM_STORE_DOWN; PUBLISH; look; save PUBLISHED_SAVED [PRESENT, a"
                + " PRESENT@7]; published"),
        row(
            "confirmed before: it does not where the host says nothing",
            doubted(confirmed(7)).unmount(TARGET).always("confirm 7", SILENT),
            claimed(),
            intent
                + "save RELEASE_SAVED [PRESENT, a GOING UNPUBLISH?@7]; UNPUBLISH; look; remove use;"
                + " save USE_END_SAVED [IN_DOUBT UNSTAGE?]; UNSTAGE; look; remove volume; bury;"
                + " refused CLAIM_UNCONFIRMED"),
        row(
            "never confirmed: the record does not suffice",
            doubted(new ClaimMark(7, false))
                .unmount(TARGET)
                .always("confirm 7", Walk.recordSuffices()),
            claimed(),
            "look; save INTENT_SAVED [PRESENT, a IN_DOUBT PUBLISH?@7?]; make use; confirm 7; save"
                + " RELEASE_SAVED [PRESENT, a GOING UNPUBLISH?@7?]; UNPUBLISH; look; remove use;"
                + " save USE_END_SAVED [IN_DOUBT UNSTAGE?]; UNSTAGE; look; remove volume; bury;"
                + " refused CLAIM_UNCONFIRMED"),
        row(
            "what a workload may be using stays when nobody can be asked",
            doubted(confirmed(7)).always("confirm 7", SILENT),
            claimed(),
            intent + "unfinished CLAIM_UNCONFIRMED"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("acquiring")
  void acquires(String name, Walk walk, Goal goal, String steps) {
    assertThat(String.join("; ", walk.to(goal))).as(name).isEqualTo(steps);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("notFound")
  void isLookedUp(String name, Walk walk, Goal goal, String steps) {
    assertThat(String.join("; ", walk.to(goal))).as(name).isEqualTo(steps);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("mounted")
  void isMounted(String name, Walk walk, Goal goal, String steps) {
    assertThat(String.join("; ", walk.to(goal))).as(name).isEqualTo(steps);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("remembered")
  void isRemembered(String name, Walk walk, Goal goal, String steps) {
    assertThat(String.join("; ", walk.to(goal))).as(name).isEqualTo(steps);
  }

  @Test
  void whatAClaimIsWorthIsToldWithItsEpoch() {
    assertThat(Event.Confirmed.words(new ClaimStanding.Stale(9), 7))
        .isEqualTo("its claim has epoch 7, and the volume's is 9 by now");
    assertThat(Event.Confirmed.words(new ClaimStanding.Stale(7), 7))
        .isEqualTo("its claim has epoch 7, but was released or taken over since");
    assertThat(Event.Confirmed.words(new ClaimStanding.Leaving(), 7))
        .isEqualTo("its claim has epoch 7, and is being released");
    assertThat(Event.Confirmed.words(new ClaimStanding.Missing(), 7))
        .isEqualTo("its claim has epoch 7, but the store has no record of it");
    assertThat(Event.Confirmed.words(new ClaimStanding.Unknown(new ReasonText("it is away")), 7))
        .isEqualTo("its claim has epoch 7, but it cannot be confirmed: it is away");
    assertThat(Event.Confirmed.words(new ClaimStanding.Current(), 7))
        .isEqualTo("its claim has epoch 7, and is current");
    assertThat(OperatorCode.FENCED.label()).isEqualTo("CSI-841 FENCED");
  }
}
