package io.csi4j.testkit.proxy;

import static io.csi4j.client.model.CsiOperation.CREATE_VOLUME;
import static io.csi4j.client.model.CsiOperation.LIST_VOLUMES;
import static io.csi4j.client.model.CsiOperation.NODE_STAGE_VOLUME;
import static io.csi4j.client.model.CsiOperation.PROBE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.csi4j.client.internal.proto.CreateVolumeResponse;
import io.csi4j.client.internal.proto.ListVolumesRequest;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.RawCaller;
import io.csi4j.testkit.RawCaller.Ended;
import io.csi4j.testkit.RawCaller.Pending;
import io.csi4j.testkit.Requests;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.model.PluginShape;
import io.grpc.Status;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page of calls, as a text and in a browser. */
class CallReportTest {

  @TempDir Path directory;

  @Test
  void thePageShowsBothSidesTheFaultsAndTheSlowestCalls() throws Exception {
    String html = report();

    assertThat(html)
        .startsWith("<!DOCTYPE html>")
        .contains("Calls by volume", "Calls in flight", "Duties of the caller", "Slowest calls")
        .contains("D-", "broken")
        .contains("Answers of the plugin against the spec", "max_entries was 1")
        .contains("ABORTED", "connection broke", "Fail[code=10, text=busy]")
        .doesNotContain("<script", "http://", "https://", "canary");
    assertThat(html.split("<svg", -1)).hasSize(3);
  }

  @Test
  void adviceToTheCallerIsToldApartFromWhatItBroke() throws IOException {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open();
        RawCaller caller = new RawCaller(plugin.endpoint())) {
      // Before any question about who is there and what it can do: that is unwise, and lawful.
      assertThat(caller.call(LIST_VOLUMES, ListVolumesRequest.getDefaultInstance()).messages())
          .hasSize(1);

      assertThat(plugin.verdict().advice()).hasSize(4).isEqualTo(plugin.verdict().broken());
      assertThat(CallReport.of(plugin).html())
          .contains("<b>0</b>duties broken by the caller")
          .contains("<b>4</b>duties with advice to the caller")
          .contains(" kept, 0 broken, 4 with advice, ")
          .contains(">advice</td>")
          .doesNotContain(">broken</td>", "D-110 advice: ");
    }
  }

  @Test
  void aTextFromOutsideIsNoMarkup() throws IOException {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open();
        RawCaller caller = new RawCaller(plugin.endpoint())) {
      Ended ended =
          caller.call(NODE_STAGE_VOLUME, Requests.stage("<img src=x onerror=1>", "/tmp/'\"&"));
      assertThat(ended.messages()).isEmpty();

      String html = CallReport.of(plugin).html();

      assertThat(html).doesNotContain("<img").contains("&lt;img src=x onerror=1&gt;");
    }
  }

  @Test
  void aJournalWithoutACallHasAPage() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      assertThat(CallReport.of(plugin).html()).contains("No call was made.");
    }
  }

  @Tag("campaign")
  @Test
  void aBrowserDrawsItInLightAndInDark() throws Exception {
    String browser = browser().orElse("");
    assumeTrue(
        !browser.isEmpty(),
        "no chromium or google-chrome on the PATH, so no browser shows the page");
    Path page = directory.resolve("report.html");
    Files.writeString(page, report());

    assertThat(dom(browser, page)).contains("Calls by volume").contains("<rect");
    byte[] light = picture(browser, page, "light");
    byte[] dark = picture(browser, page, "dark", "--blink-settings=preferredColorScheme=0");
    assertThat(light).hasSizeGreaterThan(20_000);
    assertThat(dark).hasSizeGreaterThan(20_000).isNotEqualTo(light);
    String kept = System.getProperty("csi4j.report.picture", "");
    if (!kept.isEmpty()) {
      Files.write(Path.of(kept), light);
      Files.write(Path.of(kept + ".dark.png"), dark);
      Files.copy(page, Path.of(kept + ".html"), StandardCopyOption.REPLACE_EXISTING);
    }
  }

  /** A page with some of everything. */
  private String report() throws Exception {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open(PluginShape.noAttach());
        CsiProxy proxy = CsiProxy.builder(plugin.endpoint()).newPlugin(true).open();
        RawCaller caller = new RawCaller(proxy.endpoint())) {
      proxy.inject(Fault.fail(StatusCode.ABORTED, "busy"), When.calling(CREATE_VOLUME).nth(3));
      proxy.inject(Fault.delay(Duration.ofMillis(60)), When.calling(PROBE));
      proxy.inject(Fault.applyThenDrop(), When.calling(CREATE_VOLUME).nth(7));
      proxy.inject(Fault.delay(Duration.ofMillis(25)), When.calling(NODE_STAGE_VOLUME));
      plugin.inject(
          Fault.change(
              (asked, answer) ->
                  Map.of(
                      "entries",
                      List.of(
                          Map.of("volume", Map.of("volume_id", "a")),
                          Map.of("volume", Map.of("volume_id", "b"))))),
          When.calling(LIST_VOLUMES));
      List<Volume> volumes = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        Ended made =
            caller.call(
                CREATE_VOLUME,
                Requests.create("data-" + i).toBuilder().putSecrets("key", "canary-1").build());
        if (!made.messages().isEmpty()) {
          volumes.add(CreateVolumeResponse.parseFrom(made.messages().get(0)).getVolume());
        }
      }
      Ended refused = caller.call(NODE_STAGE_VOLUME, Requests.stage("vol-9", "/tmp/s"));
      assertThat(refused.code()).isEqualTo(Status.Code.NOT_FOUND);
      for (Volume volume : volumes) {
        Files.createDirectories(directory.resolve(volume.getVolumeId()));
      }
      List<Pending> pending = new ArrayList<>();
      for (int round = 0; round < 4; round++) {
        for (Volume volume : volumes) {
          String path = directory.resolve(volume.getVolumeId()).toString();
          pending.add(
              caller.begin(
                  NODE_STAGE_VOLUME,
                  Requests.stage(volume.getVolumeId(), path).toBuilder()
                      .putAllVolumeContext(volume.getVolumeContextMap())
                      .build()));
        }
        pending.add(caller.begin(PROBE, Requests.probe()));
        if (round % 2 == 1) {
          pending.forEach(Pending::ended);
          pending.clear();
        }
      }
      Ended listed =
          caller.call(LIST_VOLUMES, ListVolumesRequest.newBuilder().setMaxEntries(1).build());
      assertThat(listed.messages()).hasSize(1);
      return CallReport.of(proxy).html();
    }
  }

  private static Optional<String> browser() {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(":", -1))
        .flatMap(place -> Stream.of("chromium", "google-chrome").map(name -> Path.of(place, name)))
        .filter(Files::isExecutable)
        .map(Path::toString)
        .findFirst();
  }

  private String dom(String browser, Path page) throws Exception {
    Path out = directory.resolve("dom.html");
    run(new ProcessBuilder(command(browser, page, "--dump-dom")).redirectOutput(out.toFile()));
    return Files.readString(out, StandardCharsets.UTF_8);
  }

  private byte[] picture(String browser, Path page, String name, String... more) throws Exception {
    Path file = directory.resolve(name + ".png");
    List<String> options = new ArrayList<>(List.of("--screenshot=" + file));
    options.add("--window-size=1180,1500");
    options.addAll(List.of(more));
    run(
        new ProcessBuilder(command(browser, page, options.toArray(String[]::new)))
            .redirectOutput(ProcessBuilder.Redirect.DISCARD));
    return Files.readAllBytes(file);
  }

  private List<String> command(String browser, Path page, String... options) {
    List<String> words =
        new ArrayList<>(
            List.of(
                browser,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--hide-scrollbars",
                "--user-data-dir=" + directory.resolve("profile")));
    words.addAll(List.of(options));
    words.add(page.toUri().toString());
    return words;
  }

  private static void run(ProcessBuilder builder) throws Exception {
    Process process = builder.redirectError(ProcessBuilder.Redirect.DISCARD).start();
    try {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("the browser ended").isTrue();
    } finally {
      process.destroyForcibly();
    }
  }
}
