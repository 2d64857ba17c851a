package io.csi4j.volume.cluster.grpc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.mount.real.Eventually;
import io.csi4j.volume.model.Pem;
import io.csi4j.volume.model.TlsSettings;
import io.csi4j.volume.store.TestCertificates;
import io.grpc.Status;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LineTest {

  private static final Duration LONG = Duration.ofSeconds(20);
  private static final Duration SHORT = Duration.ofMillis(600);

  @TempDir Path temp;

  private static byte[] text(String text) {
    return text.getBytes(UTF_8);
  }

  private static byte[] echo(Optional<Set<String>> names, byte[] question) {
    return text("re: " + new String(question, UTF_8));
  }

  private ClusterEndpoint file(String name) {
    return ClusterEndpoint.unix(temp.resolve(name));
  }

  private static LineServer at(
      ClusterEndpoint endpoint, BiFunction<Optional<Set<String>>, byte[], byte[]> answers)
      throws IOException {
    return LineServer.open(endpoint, Optional.empty(), answers);
  }

  private static LineClient to(Duration deadline, ClusterEndpoint... endpoints) {
    return new LineClient(List.of(endpoints), Optional.empty(), deadline);
  }

  private static byte[] asked(LineClient client, byte[] question) {
    return client.ask(question, answer -> true);
  }

  private static LineException failure(LineClient client) {
    return catchThrowableOfType(LineException.class, () -> asked(client, text("x")));
  }

  // ---- socket files

  @Test
  void aSocketFileIsForItsOwnerAndCarriesBytes() throws Exception {
    try (LineServer server = at(file("a"), LineTest::echo);
        LineClient client = to(LONG, file("a"))) {
      assertThat(asked(client, text("x"))).isEqualTo(text("re: x"));
      assertThat(asked(client, new byte[4 << 20])).hasSize((4 << 20) + 4);
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(temp.resolve("a"))))
          .isEqualTo("rw-------");
      assertThat(server.endpoint()).hasToString("unix:" + temp.resolve("a"));
    }
    assertThat(temp).isEmptyDirectory();
  }

  @Test
  void whoComesByASocketFileHasNoNames() throws Exception {
    AtomicReference<Optional<Set<String>>> seen = new AtomicReference<>();
    try (LineServer server =
            at(
                file("a"),
                (names, question) -> {
                  seen.set(names);
                  return question;
                });
        LineClient client = to(LONG, server.endpoint())) {
      assertThat(asked(client, text("x"))).isEqualTo(text("x"));
    }
    assertThat(seen.get()).isEmpty();
  }

  @Test
  void aFileThatAKilledProcessLeftGivesWay() throws Exception {
    Files.createFile(temp.resolve("a"));
    try (LineServer server = at(file("a"), LineTest::echo);
        LineClient client = to(LONG, server.endpoint())) {
      assertThat(asked(client, text("x"))).isEqualTo(text("re: x"));
    }
  }

  @Test
  void whoIsClosedLeavesTheFileOfItsSuccessor() throws Exception {
    LineServer former = at(file("a"), (names, question) -> text("former"));
    try (LineServer successor = at(file("a"), (names, question) -> text("successor"));
        LineClient client = to(LONG, file("a"))) {
      former.close();

      assertThat(asked(client, text("x"))).isEqualTo(text("successor"));
      assertThat(successor.endpoint()).isEqualTo(file("a"));
    }
    assertThat(temp).isEmptyDirectory();
  }

  /** A request that meets the close at any of its moments, each of them some time. */
  @Test
  void aRequestThatMeetsTheCloseFailsLikeOneToAClosedClient() throws Exception {
    try (LineServer server = at(file("a"), LineTest::echo)) {
      for (int i = 0; i < 300; i++) {
        LineClient client = to(LONG, server.endpoint());
        CompletableFuture<Throwable> end =
            CompletableFuture.supplyAsync(
                () -> {
                  while (true) {
                    Throwable failed = catchThrowable(() -> asked(client, text("x")));
                    if (failed != null) {
                      return failed;
                    }
                  }
                });
        LockSupport.parkNanos(i * 10_000L);
        client.close();

        assertThat(end.get(30, TimeUnit.SECONDS)).isInstanceOf(LineException.class);
      }
    }
  }

  @Test
  void aMessageThatIsTooLargeIsRefusedOnBothSides() throws Exception {
    try (LineServer server = at(file("a"), (names, question) -> new byte[(4 << 20) + 65]);
        LineClient client = to(LONG, server.endpoint())) {
      LineException answer = failure(client);
      assertThat(answer.isRefusal()).isTrue();
      assertThat(answer).hasMessageStartingWith("a message is larger than 4 MiB: ");
      LineException question =
          catchThrowableOfType(LineException.class, () -> asked(client, new byte[(4 << 20) + 65]));
      assertThat(question.isRefusal()).isTrue();
      assertThat(question).hasMessageStartingWith("a message is larger than 4 MiB: ");
    }
  }

  @Test
  void aPathThatIsTooLongAndAPortThatIsNoneAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ClusterEndpoint.unix(Path.of("/" + "x".repeat(106))))
        .withMessage(
            "A socket path has at most 106 bytes, of which the file name takes at least 10, but '/"
                + "x".repeat(106)
                + "' has 107. Choose a shorter directory.");
    assertThatIllegalArgumentException()
        .as("the hidden name is longer than this one")
        .isThrownBy(() -> ClusterEndpoint.unix(Path.of("/" + "x".repeat(96) + "/s")))
        .withMessageContaining("' has 99. ");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ClusterEndpoint.tcp("a", 65_536))
        .withMessage(
            "A control plane has a host and a port from 0 to 65535, not 'a' and 65536. Name"
                + " both.");
  }

  // ---- one of several

  @Test
  void anEndpointThatIsNotThereGivesWayAndIsAskedAgainOnceItIsThere() throws Exception {
    AtomicInteger second = new AtomicInteger();
    LineServer other =
        at(
            file("b"),
            (names, question) -> {
              second.incrementAndGet();
              return text("b");
            });
    try (LineClient client = to(LONG, file("a"), file("b"))) {
      assertThat(asked(client, text("x"))).isEqualTo(text("b"));
      assertThat(asked(client, text("x"))).isEqualTo(text("b"));
      other.close();
      try (LineServer one = at(file("a"), (names, question) -> text("a"))) {
        assertThat(asked(client, text("x"))).isEqualTo(text("a"));
        assertThat(one.endpoint()).isEqualTo(file("a"));
      }
      assertThat(second).hasValue(2);
      LineException failed = failure(client);
      assertThat(failed.isRefusal()).isFalse();
      assertThat(failed.getMessage())
          .startsWith("'unix:" + temp.resolve("a") + "': ")
          .contains("; 'unix:" + temp.resolve("b") + "': ");
    }
  }

  @Test
  void aSilentEndpointTakesItsShareOfTheTimeAlone() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    try (LineServer silent =
            at(
                file("a"),
                (names, question) -> {
                  awaitQuietly(end);
                  return question;
                });
        LineServer other = at(file("b"), LineTest::echo);
        LineClient client = to(SHORT, silent.endpoint(), other.endpoint())) {
      assertThat(asked(client, text("x"))).isEqualTo(text("re: x"));
      try (LineClient only = to(SHORT, silent.endpoint())) {
        assertThat(failure(only))
            .hasMessage("'unix:" + temp.resolve("a") + "': it did not answer in time");
      }
      end.countDown();
    }
  }

  @Test
  void twoOfSixEndpointsHaveMoreTimeThanAControlPlaneWaitsForAStorageSystem() {
    long patience = Duration.ofSeconds(2).toNanos();
    long left = Duration.ofSeconds(10).toNanos();
    for (int endpoints = 6; endpoints > 4; endpoints--) {
      long share = LineClient.share(left, endpoints);
      assertThat(share).isGreaterThan(patience);
      left -= share;
    }
    assertThat(LineClient.share(left, 1)).isEqualTo(left);
  }

  private static void awaitQuietly(CountDownLatch end) {
    try {
      assertThat(end.await(1, TimeUnit.MINUTES)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void aConnectionThatIsAcceptedAndStaysSilentGivesWay() throws Exception {
    TestCertificates certificates = certificates();
    try (ServerSocket deaf = new ServerSocket(0);
        LineServer server = atPort(certificates);
        LineClient client =
            new LineClient(
                List.of(ClusterEndpoint.tcp("localhost", deaf.getLocalPort()), server.endpoint()),
                Optional.of(ofNode()),
                Duration.ofSeconds(4))) {
      assertThat(asked(client, text("x"))).isEqualTo(text("[node-1.example]"));
    }
  }

  @Test
  void aRefusalIsNotAskedOfAnother() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    BiFunction<Optional<Set<String>>, byte[], byte[]> refusing =
        (names, question) -> {
          asked.incrementAndGet();
          throw Status.PERMISSION_DENIED
              .withDescription("the certificate is of another node")
              .asRuntimeException();
        };
    try (LineServer one = at(file("a"), refusing);
        LineServer other = at(file("b"), refusing);
        LineClient client = to(LONG, one.endpoint(), other.endpoint())) {
      LineException refused = failure(client);
      assertThat(refused.isRefusal()).isTrue();
      assertThat(refused).hasMessage("the certificate is of another node");
    }
    assertThat(asked).hasValue(1);
  }

  @Test
  void anAnswerThatIsNotGoodIsAskedOfTheNextAndCountsIfNoneIsBetter() throws Exception {
    AtomicInteger cutOff = new AtomicInteger();
    try (LineServer one =
            at(
                file("a"),
                (names, question) -> {
                  cutOff.incrementAndGet();
                  return text("not now");
                });
        LineServer other = at(file("b"), LineTest::echo);
        LineClient client = to(LONG, one.endpoint(), other.endpoint())) {
      Predicate<byte[]> isGood = answer -> !Arrays.equals(answer, text("not now"));

      assertThat(client.ask(text("x"), isGood)).isEqualTo(text("re: x"));
      assertThat(client.ask(text("y"), isGood)).isEqualTo(text("re: y"));
      assertThat(cutOff).as("the endpoint with the good answer is asked first").hasValue(1);
      other.close();
      assertThat(client.ask(text("z"), isGood)).isEqualTo(text("not now"));
    }
  }

  @Test
  void anInterruptEndsTheWaitAndAsksNoOther() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    AtomicReference<Object> ended = new AtomicReference<>();
    try (LineServer server =
            at(
                file("a"),
                (names, question) -> {
                  begun.countDown();
                  awaitQuietly(end);
                  return question;
                });
        LineClient client = to(LONG, server.endpoint(), file("b"))) {
      Thread caller =
          new Thread(
              () -> {
                LineException failed = failure(client);
                ended.set(Thread.currentThread().isInterrupted() ? failed : "not interrupted");
              });
      caller.start();
      begun.await();
      caller.interrupt();
      caller.join();
      end.countDown();
    }
    assertThat(ended.get()).isInstanceOf(LineException.class);
  }

  @Test
  void afterClosingNothingIsAskedAndNoThreadIsLeft() throws Exception {
    try (LineServer server = at(file("a"), LineTest::echo)) {
      LineClient client = to(LONG, server.endpoint());
      assertThat(asked(client, text("x"))).isEqualTo(text("re: x"));
      client.close();
      assertThat(failure(client)).hasMessage("the client is closed");
    }
  }

  /** Asks on threads of their own until so many questions have reached the server. */
  private static List<CompletableFuture<String>> open(
      LineClient client, int questions, Semaphore reached) throws Exception {
    List<CompletableFuture<String>> asked = new ArrayList<>();
    for (int i = 0; i < questions; i++) {
      CompletableFuture<String> end = new CompletableFuture<>();
      Thread caller =
          new Thread(
              () -> {
                try {
                  end.complete(new String(asked(client, text("slow")), UTF_8));
                } catch (LineException failed) {
                  end.complete("failed: " + failed.getMessage());
                }
              });
      caller.start();
      asked.add(end);
    }
    assertThat(reached.tryAcquire(questions, 1, TimeUnit.MINUTES)).isTrue();
    return asked;
  }

  @Test
  void oneNodeTakesNoMoreThanItsPlacesAndKeepsItsOpenQuestionsWhenOneIsRefused() throws Exception {
    TestCertificates made = certificates();
    made.certificate("other", "other", "subjectAltName=DNS:node-2\nextendedKeyUsage=clientAuth\n");
    CountDownLatch end = new CountDownLatch(1);
    Semaphore reached = new Semaphore(0);
    try (LineServer server =
            LineServer.open(
                ClusterEndpoint.tcp("localhost", 0),
                Optional.of(own("ca", "server")),
                (names, question) -> {
                  if (Arrays.equals(question, text("slow"))) {
                    reached.release();
                    awaitQuietly(end);
                  }
                  return text(names.orElseThrow().toString());
                });
        LineClient one = new LineClient(List.of(server.endpoint()), Optional.of(ofNode()), LONG);
        LineClient again = new LineClient(List.of(server.endpoint()), Optional.of(ofNode()), LONG);
        LineClient other =
            new LineClient(List.of(server.endpoint()), Optional.of(own("ca", "other")), LONG)) {
      List<CompletableFuture<String>> asked = open(one, 31, reached);
      assertThat(asked(again, text("x"))).as("the last place").isEqualTo(text("[node-1.example]"));
      asked.addAll(open(again, 1, reached));

      assertThat(failure(again))
          .hasMessage("'" + server.endpoint() + "': too many requests are waiting here");
      assertThat(asked(other, text("x"))).isEqualTo(text("[node-2]"));
      end.countDown();
      for (CompletableFuture<String> each : asked) {
        assertThat(each.get(1, TimeUnit.MINUTES)).isEqualTo("[node-1.example]");
      }
    }
  }

  // ---- ports

  private TestCertificates certificates() {
    TestCertificates certificates = new TestCertificates(temp);
    certificates.authority("ca");
    certificates.authority("stranger");
    certificates.certificate(
        "server", "control plane", "subjectAltName=DNS:localhost\nextendedKeyUsage=serverAuth\n");
    certificates.certificate(
        "node", "node-1", "subjectAltName=DNS:node-1.example\nextendedKeyUsage=clientAuth\n");
    return certificates;
  }

  private TlsSettings own(String trusted, String name) {
    return TlsSettings.trusting(Pem.file(temp.resolve(trusted + ".pem")))
        .showing(
            new TlsSettings.Certificate(
                Pem.file(temp.resolve(name + ".pem")), Pem.file(temp.resolve(name + ".key"))));
  }

  private TlsSettings ofNode() {
    return own("ca", "node");
  }

  private LineServer atPort(TestCertificates made) throws IOException {
    assertThat(made.file("server.pem")).exists();
    return LineServer.open(
        ClusterEndpoint.tcp("localhost", 0),
        Optional.of(own("ca", "server")),
        (names, question) -> text(names.orElseThrow().toString()));
  }

  @Test
  void aControlPlaneSeesTheNamesInTheCertificateOfTheNode() throws Exception {
    try (LineServer server = atPort(certificates());
        LineClient client =
            new LineClient(List.of(server.endpoint()), Optional.of(ofNode()), LONG)) {
      assertThat(asked(client, text("x"))).isEqualTo(text("[node-1.example]"));
    }
  }

  private LineException refused(ClusterEndpoint endpoint, TlsSettings tls) {
    try (LineClient client = new LineClient(List.of(endpoint), Optional.of(tls), LONG)) {
      return failure(client);
    }
  }

  @Test
  void whoShowsNoCertificateOrThatOfAStrangerIsNotLetIn() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    assertThat(certificates().file("server.pem")).exists();
    try (LineServer server =
        LineServer.open(
            ClusterEndpoint.tcp("localhost", 0),
            Optional.of(own("ca", "server")),
            (names, question) -> text("" + asked.incrementAndGet()))) {
      for (TlsSettings each :
          List.of(TlsSettings.trusting(Pem.file(temp.resolve("ca.pem"))), own("ca", "stranger"))) {
        // TLS 1.3 lets the client send before the server has looked: the text depends on that.
        assertThat(refused(server.endpoint(), each).isRefusal()).isFalse();
      }
    }
    assertThat(asked).hasValue(0);
  }

  @Test
  void aControlPlaneWithTheCertificateOfAStrangerOrOfAnotherHostIsNotAsked() throws Exception {
    try (LineServer server = atPort(certificates())) {
      ClusterEndpoint byAddress = ClusterEndpoint.tcp("127.0.0.1", server.endpoint().port());
      assertThat(refused(server.endpoint(), own("stranger", "node")))
          .hasMessage(
              "'"
                  + server.endpoint()
                  + "': its certificate is not accepted here: unable to find valid certification"
                  + " path to requested target");
      assertThat(refused(byAddress, ofNode()))
          .hasMessage(
              "'"
                  + byAddress
                  + "': its certificate is not accepted here: No subject alternative names matching"
                  + " IP address 127.0.0.1 found");
      assertThat(refused(byAddress, own("missing", "node")))
          .hasMessage(
              "'"
                  + byAddress
                  + "': the certificates cannot be used: "
                  + temp.resolve("missing.pem")
                  + " (No such file or directory)");
    }
  }

  @Test
  void aCommonNameCountsOnlyInACertificateWithoutOtherNames() throws Exception {
    TestCertificates made = certificates();
    made.certificate("plain", "node-7", "extendedKeyUsage=clientAuth\n");
    try (LineServer server = atPort(made);
        LineClient client =
            new LineClient(List.of(server.endpoint()), Optional.of(own("ca", "plain")), LONG)) {
      assertThat(asked(client, text("x"))).isEqualTo(text("[node-7]"));
    }
  }

  @Test
  void renewedCertificatesAreUsedForNewConnections() throws Exception {
    TestCertificates made = certificates();
    try (LineServer server = atPort(made)) {
      for (String each : List.of("server", "node")) {
        Files.copy(made.file(each + ".pem"), made.file("former-" + each + ".pem"));
        Files.copy(made.file(each + ".key"), made.file("former-" + each + ".key"));
      }
      Files.copy(made.file("ca.pem"), made.file("former-ca.pem"));
      assertThat(asked(server, own("former-ca", "former-node"))).isEqualTo("[node-1.example]");

      TestCertificates renewed = certificates();
      assertThat(renewed.file("ca.pem")).isEqualTo(made.file("ca.pem"));
      Eventually.isTrue(
          "the renewed certificates are used",
          () -> asked(server, ofNode()).equals("[node-1.example]"));
      assertThat(refused(server.endpoint(), own("former-ca", "former-node")))
          .hasMessageContaining("its certificate is not accepted here");
    }
  }

  private static String asked(LineServer server, TlsSettings tls) {
    try (LineClient client = new LineClient(List.of(server.endpoint()), Optional.of(tls), LONG)) {
      return new String(asked(client, text("x")), UTF_8);
    } catch (LineException failed) {
      return String.valueOf(failed.getMessage());
    }
  }

  @Test
  void aPortWithoutCertificatesIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> at(ClusterEndpoint.tcp("localhost", 0), LineTest::echo))
        .withMessage(
            "A control plane on a TCP port needs TLS. Give it certificates, or let it listen on a"
                + " socket file.");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                LineServer.open(
                    ClusterEndpoint.tcp("localhost", 0),
                    Optional.of(TlsSettings.asTheJvm()),
                    LineTest::echo))
        .withMessage(
            "A control plane at a TCP port needs its own certificate, and those of the authority "
                + "that signs the nodes' certificates. Provide both.");
    try (LineClient client = to(LONG, ClusterEndpoint.tcp("localhost", 1))) {
      assertThat(failure(client))
          .hasMessage(
              "'localhost:1': the certificates cannot be used: A TCP connection to a control plane"
                  + " needs TLS. Give the node a certificate.");
    }
  }
}
