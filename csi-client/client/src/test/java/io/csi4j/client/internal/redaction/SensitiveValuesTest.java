package io.csi4j.client.internal.redaction;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.ControllerPublishVolumeResponse;
import io.csi4j.client.internal.proto.CreateVolumeResponse;
import io.csi4j.client.internal.proto.DeleteVolumeRequest;
import io.csi4j.client.internal.proto.NodePublishVolumeRequest;
import io.csi4j.client.internal.proto.NodeStageVolumeRequest;
import io.csi4j.client.internal.proto.ProbeRequest;
import io.csi4j.client.internal.proto.VolumeCapability;
import io.csi4j.client.internal.proto.VolumeCapability.MountVolume;
import io.csi4j.client.scripted.RandomMessages;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SensitiveValuesTest {

  private final SensitiveValues values = new SensitiveValues();

  private DeleteVolumeRequest addSecret(String value) {
    DeleteVolumeRequest request =
        DeleteVolumeRequest.newBuilder().setVolumeId("vol-123").putSecrets("k", value).build();
    values.remember(request);
    return request;
  }

  @Test
  void secretsContextsAndFlagsAreRemembered() {
    values.remember(
        NodePublishVolumeRequest.newBuilder()
            .setVolumeId("volume-1")
            .setTargetPath("/target")
            .putSecrets("secret-key", "secret-value")
            .putVolumeContext("context-key", "context-value")
            .putPublishContext("publish-key", "publish-value")
            .setVolumeCapability(
                VolumeCapability.newBuilder()
                    .setMount(
                        MountVolume.newBuilder()
                            .setFsType("filesystem")
                            .addMountFlags("username=somebody,password=a=hunter2")
                            .addMountFlags("noatime")))
            .build());

    assertThat(values.snapshot())
        .containsExactlyInAnyOrder(
            "secret-value",
            "context-value",
            "publish-value",
            "username=somebody,password=a=hunter2",
            "somebody,password=a=hunter2",
            "username=somebody",
            "somebody",
            "password=a=hunter2",
            "a=hunter2",
            "noatime");
  }

  @Test
  void aValueOfSixCharactersIsRememberedAndOneOfFiveIsNot() {
    addSecret("hunter");
    addSecret("hunt2");
    addSecret(" hunt3\n");
    values.remember(
        NodePublishVolumeRequest.newBuilder()
            .setVolumeCapability(
                VolumeCapability.newBuilder()
                    .setMount(MountVolume.newBuilder().addMountFlags(",passwd")))
            .build());
    assertThat(values.snapshot()).containsExactly(",passwd", "passwd", "hunter");
  }

  @Test
  void whatWasForgottenIsForgottenForEveryThread() throws Exception {
    addSecret("hunter2");
    values.clear();
    assertThat(CompletableFuture.supplyAsync(values::snapshot).get(30, TimeUnit.SECONDS)).isEmpty();
  }

  @Test
  void answersAreSearchedToo() {
    CreateVolumeResponse.Builder created = CreateVolumeResponse.newBuilder();
    created.getVolumeBuilder().setVolumeId("volume-1").putVolumeContext("a", "context-value");
    values.remember(created.build());
    values.remember(
        ControllerPublishVolumeResponse.newBuilder().putPublishContext("a", "chap-value").build());
    assertThat(values.snapshot()).containsExactly("chap-value", "context-value");
  }

  @Test
  void whatEndsUpInTheMessagesIsExactlyWhatIsSensitive() {
    Random random = new Random(5);
    for (Message prototype : RandomMessages.prototypes()) {
      List<String> planted = new ArrayList<>();
      Message message =
          RandomMessages.fill(
              prototype,
              random,
              (FieldDescriptor field) -> {
                String text = "text" + random.nextInt(1 << 20);
                if (SpecFields.isSensitive(field)) {
                  planted.add(text);
                }
                return text;
              });
      values.clear();
      values.remember(message);
      assertThat(values.snapshot()).containsExactlyInAnyOrderElementsOf(planted);
    }
  }

  @Test
  void shortValuesAreIgnoredAndBlanksAroundOthers() {
    addSecret("true");
    addSecret("five5");
    addSecret("  six6  \n");
    assertThat(values.snapshot()).isEmpty();
    addSecret("hunter2\n");
    assertThat(values.snapshot()).containsExactly("hunter2");
    assertThat(values.scrub("bad password hunter2")).isEqualTo("bad password <redacted>");
  }

  @Test
  void allThatIsKeptHasABoundInBytes() {
    String large = "s".repeat(300 << 10);
    for (int i = 0; i < 20; i++) {
      addSecret(large + i);
    }
    assertThat(values.snapshot()).containsExactly(large + 19, large + 18, large + 17, large + 16);

    String huge = "t".repeat(2 << 20);
    addSecret(huge);
    assertThat(values.snapshot()).as("whatever was sent last").containsExactly(huge);
    addSecret("small one");
    assertThat(values.snapshot()).containsExactly("small one");
  }

  @Test
  void aHugeAnswerTakesNoPlaceOfWhatWasSent() {
    addSecret("what was sent");
    values.rememberAnswer(
        ControllerPublishVolumeResponse.newBuilder()
            .putPublishContext("k", "x".repeat(64 << 10))
            .build());
    values.rememberAnswer(
        ControllerPublishVolumeResponse.newBuilder().putPublishContext("k", "token-1").build());

    assertThat(values.snapshot()).containsExactly("token-1", "what was sent");
  }

  @Test
  void theNewest128MessagesAreKept() {
    for (int i = 0; i < 129; i++) {
      addSecret("secret-" + i);
    }
    assertThat(values.snapshot())
        .hasSize(128)
        .startsWith("secret-128")
        .endsWith("secret-1")
        .doesNotContain("secret-0");
  }

  @Test
  void messagesThatCannotHoldAnythingSensitiveTakeNoRoom() {
    addSecret("secret-1");
    for (int i = 0; i < 200; i++) {
      values.remember(ProbeRequest.getDefaultInstance());
    }
    assertThat(values.snapshot()).containsExactly("secret-1");
  }

  @Test
  void aboutAMillionCharactersAreLookedFor() {
    for (int i = 0; i < 20; i++) {
      addSecret(i + "x".repeat(100_000));
    }
    assertThat(values.snapshot()).hasSize(11);
  }

  @Test
  void clearedValuesAreForgotten() {
    addSecret("hunter2");
    values.clear();
    assertThat(values.snapshot()).isEmpty();
    assertThat(values.scrub("hunter2")).isEqualTo("hunter2");
    addSecret("hunter2");
    assertThat(values.scrub("hunter2")).isEqualTo("<redacted>");
  }

  @Test
  void threadsMayAddAndScrubAtOnce() throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    List<Throwable> failures = java.util.Collections.synchronizedList(new ArrayList<>());
    for (int t = 0; t < 4; t++) {
      int number = t;
      Thread thread =
          new Thread(
              () -> {
                for (int i = 0; i < 500; i++) {
                  String secret = "secret-" + number + "-" + i;
                  DeleteVolumeRequest own = addSecret(secret);
                  if (i % 50 == 0) {
                    // Own, since the others may have pushed it out by now.
                    assertThat(values.scrub("a " + secret, own)).isEqualTo("a <redacted>");
                  }
                }
              });
      thread.setUncaughtExceptionHandler((who, failure) -> failures.add(failure));
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(failures).isEmpty();
    assertThat(values.snapshot()).hasSize(128);
  }

  @Test
  void flagsOfAStageAreTakenOutOfTheAnswer() {
    values.remember(
        NodeStageVolumeRequest.newBuilder()
            .setVolumeCapability(
                VolumeCapability.newBuilder()
                    .setMount(MountVolume.newBuilder().addMountFlags("password=hunter2")))
            .build());
    assertThat(values.scrub("mount -t cifs -o ro,password=hunter2 failed"))
        .isEqualTo("mount -t cifs -o ro,<redacted> failed");
    assertThat(values.scrub("wrong password 'hunter2'")).isEqualTo("wrong password '<redacted>'");
  }
}
