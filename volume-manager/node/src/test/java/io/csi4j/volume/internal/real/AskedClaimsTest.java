package io.csi4j.volume.internal.real;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.VolumeVerdict;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.NodeClaims;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Those whom a host names are asked on threads of their own. */
class AskedClaimsTest {

  private static AskedClaims asking(NodeClaims.Confirmation confirmation) {
    return new AskedClaims(NodeClaims.of(NodeName.of("n1"), confirmation));
  }

  private static VolumeUse use(int number) {
    return VolumeUse.of(VolumeKey.of("vol-" + number), WorkloadId.of("web"));
  }

  private static CompletableFuture<ClaimStanding> ask(AskedClaims claims, VolumeUse usage) {
    CompletableFuture<ClaimStanding> answer = new CompletableFuture<>();
    claims.standing(usage, 7, answer::complete);
    return answer;
  }

  private static ClaimStanding get(CompletableFuture<ClaimStanding> answer) throws Exception {
    return answer.get(20, TimeUnit.SECONDS);
  }

  private static ClaimStanding unknown(String because) {
    return new ClaimStanding.Unknown(new ReasonText(because));
  }

  @Test
  void theAnswerOfTheHostIsGivenAndComesFromAThreadOfItsOwn() throws Exception {
    CompletableFuture<String> thread = new CompletableFuture<>();
    try (AskedClaims claims =
        asking(
            (usage, epoch) -> {
              thread.complete(Thread.currentThread().getName());
              return new ClaimStanding.Stale(epoch + 2);
            })) {
      assertThat(get(ask(claims, use(1)))).isEqualTo(new ClaimStanding.Stale(9));
      assertThat(thread.get(20, TimeUnit.SECONDS)).startsWith("csi4j-volume-claim-");
    }
  }

  @Test
  void aFailureOrNullMeansThatNobodyKnows() throws Exception {
    try (AskedClaims claims =
        asking(
            (usage, epoch) -> {
              if (usage.equals(use(1))) {
                throw new IllegalStateException("the store is down");
              }
              return null;
            })) {
      assertThat(get(ask(claims, use(1)))).isEqualTo(unknown("the store is down"));
      assertThat(get(ask(claims, use(2)))).isEqualTo(unknown("the answer was null"));
    }
  }

  @Test
  void aQuestionThatHangsKeepsNoOtherUseWaiting() throws Exception {
    CountDownLatch hang = new CountDownLatch(1);
    try (AskedClaims claims =
        asking(
            (usage, epoch) -> {
              if (usage.equals(use(1))) {
                await(hang);
              }
              return new ClaimStanding.Current();
            })) {
      CompletableFuture<ClaimStanding> first = ask(claims, use(1));

      for (int number = 2; number < 40; number++) {
        assertThat(get(ask(claims, use(number)))).isEqualTo(new ClaimStanding.Current());
      }
      List<CompletableFuture<ClaimStanding>> next = new ArrayList<>();
      for (int i = 1; i < 8; i++) {
        next.add(ask(claims, use(1)));
      }
      assertThat(get(ask(claims, use(1))))
          .isEqualTo(unknown("earlier questions have not been answered yet"));
      assertThat(first).isNotDone();
      assertThat(next).noneMatch(CompletableFuture::isDone);
      hang.countDown();
      assertThat(get(first)).isEqualTo(new ClaimStanding.Current());
      for (CompletableFuture<ClaimStanding> each : next) {
        assertThat(get(each)).isEqualTo(new ClaimStanding.Current());
      }
      assertThat(get(ask(claims, use(1)))).isEqualTo(new ClaimStanding.Current());
    }
  }

  /** A look at what is mounted must not fail the mount that asks at the same time. */
  @Test
  void aQuestionIsAskedAfterTheOneBeforeItAndNotAnsweredByIt() throws Exception {
    CountDownLatch hang = new CountDownLatch(1);
    AtomicLong asked = new AtomicLong();
    try (AskedClaims claims =
        asking(
            (usage, epoch) -> {
              long number = asked.incrementAndGet();
              await(hang);
              return new ClaimStanding.Stale(epoch + number);
            })) {
      CompletableFuture<ClaimStanding> first = ask(claims, use(1));
      CompletableFuture<ClaimStanding> second = ask(claims, use(1));
      hang.countDown();

      assertThat(get(first)).isEqualTo(new ClaimStanding.Stale(8));
      assertThat(get(second)).isEqualTo(new ClaimStanding.Stale(9));
    }
  }

  private static CompletableFuture<VolumeVerdict> lookUp(AskedClaims claims, VolumeUse usage) {
    CompletableFuture<VolumeVerdict> answer = new CompletableFuture<>();
    claims.verdict(usage, 7, answer::complete);
    return answer;
  }

  @Test
  void whoKnowsClaimsNeedNotKnowVolumes() throws Exception {
    try (AskedClaims claims = asking((usage, epoch) -> new ClaimStanding.Current())) {
      assertThat(lookUp(claims, use(1)).get(20, TimeUnit.SECONDS))
          .isEqualTo(
              new VolumeVerdict.Unknown(new ReasonText("no control plane is asked about volumes")));
    }
  }

  @Test
  void questionsAboutVolumesThatHangKeepNoQuestionAboutAClaimWaiting() throws Exception {
    CountDownLatch hang = new CountDownLatch(1);
    NodeClaims.Confirmation confirmation =
        new NodeClaims.Confirmation() {
          @Override
          public ClaimStanding standing(VolumeUse usage, long epoch) {
            return new ClaimStanding.Current();
          }

          @Override
          public VolumeVerdict verdict(VolumeUse usage, long epoch) {
            await(hang);
            return new VolumeVerdict.Present();
          }
        };
    try (AskedClaims claims = asking(confirmation)) {
      List<CompletableFuture<VolumeVerdict>> hanging = new ArrayList<>();
      for (int number = 0; number < 40; number++) {
        hanging.add(lookUp(claims, use(number)));
      }

      assertThat(get(ask(claims, use(1)))).isEqualTo(new ClaimStanding.Current());
      for (int i = 1; i < 8; i++) {
        hanging.add(lookUp(claims, use(1)));
      }
      assertThat(lookUp(claims, use(1)).get(20, TimeUnit.SECONDS))
          .isEqualTo(
              new VolumeVerdict.Unknown(
                  new ReasonText("earlier questions have not been answered yet")));
      assertThat(hanging).noneMatch(CompletableFuture::isDone);
      hang.countDown();
      for (CompletableFuture<VolumeVerdict> each : hanging) {
        assertThat(each.get(20, TimeUnit.SECONDS)).isEqualTo(new VolumeVerdict.Present());
      }
    }
  }

  @Test
  void afterTheEndNobodyIsAsked() throws Exception {
    AskedClaims claims = asking((usage, epoch) -> new ClaimStanding.Current());
    claims.close();

    assertThat(get(ask(claims, use(1)))).isEqualTo(unknown("there is no thread to ask"));
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
