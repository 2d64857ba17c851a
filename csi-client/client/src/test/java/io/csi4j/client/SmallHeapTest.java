package io.csi4j.client;

import static io.csi4j.client.scripted.RawHttp2Peer.frame;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.CodedOutputStream;
import io.csi4j.client.internal.proto.ListVolumesResponse;
import io.csi4j.client.internal.proto.Topology;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.scripted.RawHttp2Peer;
import io.csi4j.client.scripted.RawHttp2Peer.Script;
import io.csi4j.client.scripted.ScriptedPlugin;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Plugins that send what would become large, and a client with little room: 32 MiB for the plugin
 * beside the 12 MiB that a connected client needs. Each answer has its exact end, and the process
 * goes on.
 */
class SmallHeapTest {

  private static final int ANSWER = 4 << 20;

  private static final String TOO_MANY_PARTS =
      "RESOURCE_EXHAUSTED uncertain CsiAnswerException: the answer has so many parts that it would"
          + " take more than 20971520 bytes of memory";

  private static final Script READY = out -> out.headers().message().trailers("grpc-status", "0");

  @TempDir Path directory;

  /** A client in a process of its own. */
  private static final class Client implements AutoCloseable {
    private final Process process;
    private final BufferedWriter in;
    private final BufferedReader out;

    Client(Path socket, int heapMegabytes, int maxMessageBytes) throws IOException {
      process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-XX:TieredStopAtLevel=1",
                  "-Xmx" + heapMegabytes + "m",
                  "-XX:MaxDirectMemorySize=16m",
                  "-XX:+UseSerialGC",
                  "-cp",
                  System.getProperty("java.class.path"),
                  HostileMain.class.getName(),
                  socket.toString(),
                  Integer.toString(maxMessageBytes))
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      in =
          new BufferedWriter(
              new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8));
      out =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
      assertThat(out.readLine()).isEqualTo("connected");
    }

    String call(String name) throws IOException {
      in.write(name);
      in.newLine();
      in.flush();
      return String.valueOf(out.readLine());
    }

    /** The last lines: how many calls were told, and the threads that were left. */
    List<String> end() throws Exception {
      in.close();
      List<String> last = out.lines().toList();
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isZero();
      return last;
    }

    @Override
    public void close() {
      process.destroyForcibly();
    }
  }

  /** An answer that has {@code element} in its field {@code field} as often as it may. */
  private static byte[] filledWith(int field, byte... element) {
    int each = 2 + element.length;
    byte[] bytes = new byte[ANSWER / each * each];
    for (int at = 0; at < bytes.length; at += each) {
      bytes[at] = (byte) (field << 3 | 2);
      bytes[at + 1] = (byte) element.length;
      System.arraycopy(element, 0, bytes, at + 2, element.length);
    }
    return bytes;
  }

  /** An answer with a different field each time that no contract knows. */
  private static byte[] unknownFields() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    for (int number = 100; out.getTotalBytesWritten() < ANSWER - 10; number++) {
      out.writeUInt32(number, 1);
    }
    out.flush();
    return bytes.toByteArray();
  }

  /** An answer whose map is as full as it may be. */
  private static byte[] mapEntries() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    for (int key = 0; out.getTotalBytesWritten() < ANSWER - 20; key++) {
      String text = Integer.toString(key, 36);
      out.writeTag(3, 2);
      out.writeUInt32NoTag(text.length() + 2);
      out.writeString(1, text);
    }
    out.flush();
    return bytes.toByteArray();
  }

  private static Script answering(byte[] message) {
    return out -> out.headers().message(message).trailers("grpc-status", "0");
  }

  @Tag("campaign")
  @Test
  void whateverAnAnswerWouldBecomeItTakesNoMoreThanItMay() throws Exception {
    Path socket = directory.resolve("csi.sock");
    try (RawHttp2Peer peer = RawHttp2Peer.start(socket, RawHttp2Peer.introduction());
        Client client = new Client(socket, 44, ANSWER)) {
      peer.script(answering(filledWith(1)));
      assertThat(client.call("capabilities")).as("empty elements").isEqualTo(TOO_MANY_PARTS);
      peer.script(answering(filledWith(1, new byte[] {10, 0})));
      assertThat(client.call("capabilities")).as("nested ones").isEqualTo(TOO_MANY_PARTS);
      peer.script(answering(mapEntries()));
      assertThat(client.call("info")).as("entries of a map").isEqualTo(TOO_MANY_PARTS);
      peer.script(answering(unknownFields()));
      assertThat(client.call("capabilities")).as("unknown fields").isEqualTo("OK 0");
      peer.script(answering(filledWith(77, new byte[] {1})));
      assertThat(client.call("capabilities")).as("unknown texts").isEqualTo("OK 0");
      peer.script(READY);
      assertThat(client.call("probe")).startsWith("OK ");
      assertThat(client.end()).endsWith("threads left: []");
    }
  }

  // ---- floods

  private static final int CONTINUATION = 9;
  private static final long MUCH = 256L << 20;

  private static final String CARRIES_NOTHING = "it keeps sending HTTP/2 frames without content";
  private static final String ENDED_CALLS =
      "it sends frames for ended calls and does not read the resets of these calls";
  private static final String TRICKLES = "it sends messages in pieces of a few bytes";

  /** Stream 1 was that of the first call, which has ended. */
  private static final Map<String, Script> FLOODS =
      Map.ofEntries(
          Map.entry("PING", out -> out.flood(MUCH, frame(6, 0, 0, new byte[8]))),
          Map.entry("SETTINGS", out -> out.flood(MUCH, frame(4, 0, 0))),
          Map.entry("RST_STREAM", out -> out.flood(MUCH, frame(3, 0, 1, new byte[4]))),
          Map.entry(
              "WINDOW_UPDATE",
              out -> out.flood(MUCH, frame(8, 0, 0, (byte) 0, (byte) 0, (byte) 0, (byte) 1))),
          Map.entry("PRIORITY", out -> out.flood(MUCH, frame(2, 0, 1, new byte[5]))),
          Map.entry("unknown", out -> out.flood(MUCH, frame(77, 0, 0, new byte[8]))),
          Map.entry("HEADERS", out -> out.flood(MUCH, frame(1, 5, 1, (byte) 0x88))),
          Map.entry(
              "HEADERS of this call",
              out -> out.flood(MUCH, frame(1, 4, out.stream(), (byte) 0x88))),
          Map.entry("DATA", out -> out.flood(MUCH, frame(0, 0, 1, new byte[100]))),
          Map.entry(
              "DATA of one byte",
              out ->
                  out.headers()
                      .prefix(false, ANSWER)
                      .flood(MUCH, frame(0, 0, out.stream(), (byte) 0))),
          Map.entry(
              "DATA of 24 bytes",
              out ->
                  out.headers()
                      .prefix(false, ANSWER)
                      .flood(ANSWER * 33L / 24, frame(0, 0, out.stream(), new byte[24]))),
          Map.entry(
              "CONTINUATION",
              out ->
                  out.frames(frame(1, 0, out.stream(), (byte) 0x88))
                      .flood(MUCH, frame(CONTINUATION, 0, out.stream(), (byte) 0x88))),
          Map.entry(
              "header fields",
              out -> out.headers(manyFields()).message().trailers("grpc-status", "0")),
          Map.entry(
              "status details",
              out ->
                  out.headers()
                      .trailers(
                          "grpc-status",
                          "13",
                          "grpc-message",
                          "no",
                          "grpc-status-details-bin",
                          "AAAA".repeat(150_000))));

  private static String[] manyFields() {
    String[] pairs = new String[200_000];
    for (int i = 0; i < pairs.length; i += 2) {
      pairs[i] = "x-" + i;
      pairs[i + 1] = "";
    }
    return pairs;
  }

  @Tag("campaign")
  @Test
  void noFloodTakesMoreThanItMay() throws Exception {
    Path first = directory.resolve("csi.sock");
    Map<String, String> ends = new TreeMap<>();
    try (RawHttp2Peer well = RawHttp2Peer.start(first, RawHttp2Peer.introduction());
        Client client = new Client(first, 44, ANSWER)) {
      int number = 0;
      for (Map.Entry<String, Script> each : FLOODS.entrySet()) {
        Path socket = directory.resolve(number++ + ".sock");
        try (RawHttp2Peer peer = RawHttp2Peer.start(socket, RawHttp2Peer.introduction())) {
          assertThat(client.call("connect " + socket)).as(each.getKey()).isEqualTo("connected");
          peer.script(each.getValue());
          ends.put(each.getKey(), client.call("capabilities"));
        }
      }
      for (String each : List.of("PING", "SETTINGS")) {
        floods(ends, each, "it requests acknowledgements (HTTP/2 " + each + ") and does not read");
      }
      for (String each : List.of("RST_STREAM", "WINDOW_UPDATE", "PRIORITY", "unknown")) {
        floods(ends, each, CARRIES_NOTHING);
      }
      for (String each : List.of("HEADERS", "DATA")) {
        floods(ends, each, ENDED_CALLS);
      }
      floods(ends, "DATA of one byte", TRICKLES);
      String internal = "INTERNAL uncertain CsiTransientException: the plugin failed internally";
      assertThat(ends)
          .containsEntry(
              "DATA of 24 bytes",
              internal + ", detected by the client: the answer has more than one message")
          .containsEntry("CONTINUATION", internal + ", detected by the client: http2 exception")
          .containsEntry(
              "HEADERS of this call", internal + ", detected by the client: http2 exception")
          .containsEntry("header fields", internal + ", detected by the client: http2 exception")
          .containsEntry("status details", internal);
      List<String> last = client.end();
      assertThat(last).hasSize(2).endsWith("threads left: []");
      // Each call was told at its beginning and at its end, once.
      String[] told = last.get(0).split(" ", -1);
      assertThat(told[2]).isEqualTo(told[0]);
    }
  }

  private static void floods(Map<String, String> ends, String which, String why) {
    assertThat(ends.get(which))
        .as(which)
        .startsWith("UNAVAILABLE uncertain CsiTransientException: ")
        .contains(
            ": the connection was closed because the plugin floods it: " + why,
            "; this is flood number 1");
  }

  @Tag("campaign")
  @Test
  void aPageOfTenThousandVolumesFitsIn() throws Exception {
    Path socket = directory.resolve("csi.sock");
    ListVolumesResponse.Builder page = ListVolumesResponse.newBuilder();
    for (int i = 0; i < 10_000; i++) {
      page.addEntries(
          ListVolumesResponse.Entry.newBuilder()
              .setVolume(
                  Volume.newBuilder()
                      .setCapacityBytes(1L << 34)
                      .setVolumeId(String.format("pvc-8f2d5c1e-77aa-4b1f-9d0c-%012d", i))
                      .putVolumeContext("storagePool", "pool-" + i % 7)
                      .putVolumeContext("protocol", "iscsi")
                      .addAccessibleTopology(
                          Topology.newBuilder()
                              .putSegments("topology.example.com/zone", "zone-" + i % 3)
                              .putSegments("topology.example.com/node", "node-" + i % 100)))
              .setStatus(
                  ListVolumesResponse.VolumeStatus.newBuilder()
                      .addPublishedNodeIds("i-0123456789abcdef" + i % 100)));
    }
    ListVolumesResponse answer = page.build();
    assertThat(answer.getSerializedSize()).isBetween(ANSWER / 3, ANSWER);
    try (ScriptedPlugin scripted = ScriptedPlugin.start(socket);
        Client client = new Client(socket, 44, ANSWER)) {
      scripted.answer(CsiOperation.LIST_VOLUMES, answer);
      for (int i = 0; i < 3; i++) {
        assertThat(client.call("volumes")).isEqualTo("OK 10000");
      }
      assertThat(client.end()).endsWith("threads left: []");
    }
  }

  @Test
  void aFullHeapIsToldAsWhatItIsAndNotAsAFaultOfThePlugin() throws Exception {
    Path socket = directory.resolve("csi.sock");
    try (RawHttp2Peer peer = RawHttp2Peer.start(socket, RawHttp2Peer.introduction());
        Client client = new Client(socket, 24, 64 << 20)) {
      List<String> pieces = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        peer.script(answering(filledWith(1)));
        pieces.add(client.call("capabilities"));
      }
      assertThat(pieces)
          .containsOnly(
              "INTERNAL uncertain CsiTransientException: its answer was not read because of an"
                  + " error in this process (java.lang.OutOfMemoryError)");
      peer.script(READY);
      assertThat(client.call("probe")).startsWith("OK ");
      assertThat(client.end()).endsWith("threads left: []");
    }
  }
}
