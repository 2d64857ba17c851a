package io.csi4j.client.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.csi4j.client.controller.ListVolumesRequest;
import io.csi4j.client.controller.VolumeEntry;
import io.csi4j.client.internal.proto.ListVolumesResponse;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiListener;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.CsiTransientException;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.Page;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.scripted.ScriptedPlugin;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Answers whose reading takes a while: nothing else waits for it, and no deadline is missed. */
class LargeAnswerTest {

  private static final ListVolumesRequest ALL = ListVolumesRequest.builder().build();

  @TempDir Path directory;
  private ScriptedPlugin scripted;
  private VirtualCallEnvironment ground;
  private ControllerClient controller;
  private final ConcurrentLinkedQueue<StatusCode> ends = new ConcurrentLinkedQueue<>();

  @BeforeEach
  void start() {
    scripted = ScriptedPlugin.start(directory.resolve("csi.sock"));
    ListVolumesResponse.Builder page = ListVolumesResponse.newBuilder();
    for (int i = 0; i < 1_000; i++) {
      page.addEntriesBuilder().setVolume(Volume.newBuilder().setVolumeId("volume-number-" + i));
    }
    assertThat(page.build().getSerializedSize()).isGreaterThan(ArrivedAnswer.SMALL);
    scripted.answer(CsiOperation.LIST_VOLUMES, page.build());
    ConnectOptions options =
        ConnectOptions.builder()
            .policies(policy -> policy.attempts(1))
            .callbacksInPlace(true)
            .listener(
                new CsiListener() {
                  @Override
                  public void onEnd(Ended event) {
                    if (event.started().operation() == CsiOperation.LIST_VOLUMES) {
                      ends.add(event.code());
                    }
                  }
                })
            .build();
    ground = new VirtualCallEnvironment(scripted.endpoint(), options);
    ground.alarmsRing(false);
    controller = new ControllerClient(new ServiceCalls(new CallPath(ground)));
  }

  @AfterEach
  void stop() {
    ground.close();
    scripted.close();
  }

  private List<Runnable> answerIsHeld(CompletableFuture<Page<VolumeEntry>> result)
      throws Exception {
    List<Runnable> aside = ground.holdAside();
    controller
        .async()
        .listVolumes(ALL)
        .whenComplete((page, thrown) -> complete(result, page, thrown));
    while (aside.isEmpty()) {
      TimeUnit.MILLISECONDS.sleep(1);
    }
    return aside;
  }

  private static void complete(
      CompletableFuture<Page<VolumeEntry>> result, Page<VolumeEntry> page, Throwable thrown) {
    if (thrown == null) {
      result.complete(page);
    } else {
      result.completeExceptionally(thrown);
    }
  }

  @Test
  void otherCallsGoOnWhileItIsRead() throws Exception {
    CompletableFuture<Page<VolumeEntry>> result = new CompletableFuture<>();
    List<Runnable> aside = answerIsHeld(result);

    assertThat(controller.getCapabilities().offered()).isNotEmpty();
    assertThat(result).isNotDone();
    aside.remove(0).run();

    assertThat(result.get().entries()).hasSize(1_000);
    assertThat(ends).containsExactly(StatusCode.OK);
  }

  @Test
  void itsDeadlineHoldsAndItIsToldOnce() throws Exception {
    CompletableFuture<Page<VolumeEntry>> result = new CompletableFuture<>();
    List<Runnable> aside = answerIsHeld(result);

    ground.ring();

    Throwable thrown = catchThrowable(result::get);
    assertThat(thrown).isInstanceOf(ExecutionException.class);
    assertThat(thrown.getCause()).isInstanceOf(CsiTransientException.class);
    CsiException failure = (CsiException) thrown.getCause();
    assertThat(failure.code()).isEqualTo(StatusCode.DEADLINE_EXCEEDED);
    assertThat(failure.outcome()).isEqualTo(Outcome.UNCERTAIN);
    assertThat(failure.failure().why())
        .isEqualTo("the plugin has answered, but its large answer was not read in time");
    assertThat(failure.advice())
        .isEqualTo("Allow more time, ask for fewer entries, or see what keeps this process busy.");

    aside.remove(0).run();
    assertThat(ends).containsExactly(StatusCode.DEADLINE_EXCEEDED);
  }
}
