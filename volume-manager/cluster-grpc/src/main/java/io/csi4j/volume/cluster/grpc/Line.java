package io.csi4j.volume.cluster.grpc;

import io.csi4j.volume.model.Pem;
import io.csi4j.volume.model.TlsSettings;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.netty.handler.ssl.ClientAuth;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslProvider;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Optional;

/**
 * The parts that both sides of a connection share: one method, whose request and response are
 * bytes.
 */
final class Line {

  /** The maximum size of a message, with the prefix that gRPC adds. */
  static final int LARGEST = (4 << 20) + 64;

  static final int LARGEST_METADATA = 8 << 10;

  static final Duration KEEP_ALIVE = Duration.ofSeconds(10);
  static final Duration SILENCE = Duration.ofSeconds(5);

  static final String SERVICE = "csi4j.v1.ControlPlane";

  static final MethodDescriptor<byte[], byte[]> ASK =
      MethodDescriptor.<byte[], byte[]>newBuilder()
          .setType(MethodDescriptor.MethodType.UNARY)
          .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, "Ask"))
          .setRequestMarshaller(new Bytes())
          .setResponseMarshaller(new Bytes())
          .build();

  private Line() {}

  /** Bytes as they are. */
  private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] value) {
      return new ByteArrayInputStream(value);
    }

    @Override
    public byte[] parse(InputStream stream) {
      try {
        return stream.readAllBytes();
      } catch (IOException e) {
        throw Status.INTERNAL
            .withDescription("the message cannot be read")
            .withCause(e)
            .asRuntimeException();
      }
    }
  }

  /** The side of a node: shows its certificate, and checks that of the control plane. */
  static SslContext forNode(TlsSettings tls) throws IOException {
    return LineTls.reading(() -> node(tls));
  }

  private static SslContext node(TlsSettings tls) throws IOException {
    SslContextBuilder builder = SslContextBuilder.forClient();
    if (tls.own().isPresent()) {
      try (InputStream chain = tls.own().get().chain().open();
          InputStream key = tls.own().get().key().open()) {
        builder.keyManager(chain, key);
      }
    }
    return build(builder, tls.trusted());
  }

  /** The side of a control plane, which accepts only callers with a certificate that it trusts. */
  static SslContext forControlPlane(TlsSettings tls) throws IOException {
    TlsSettings.Certificate own = tls.own().orElse(null);
    if (own == null || tls.trusted().isEmpty()) {
      throw new IllegalArgumentException(
          "A control plane at a TCP port needs its own certificate, and those of the authority "
              + "that signs the nodes' certificates. Provide both.");
    }
    return LineTls.reading(() -> controlPlane(tls, own));
  }

  private static SslContext controlPlane(TlsSettings tls, TlsSettings.Certificate own)
      throws IOException {
    try (InputStream chain = own.chain().open();
        InputStream key = own.key().open()) {
      return build(
          SslContextBuilder.forServer(chain, key).clientAuth(ClientAuth.REQUIRE), tls.trusted());
    }
  }

  private static SslContext build(SslContextBuilder builder, Optional<Pem> trusted)
      throws IOException {
    if (trusted.isPresent()) {
      try (InputStream in = trusted.get().open()) {
        builder.trustManager(in);
      }
    }
    // The provider of the JDK needs no native library.
    return GrpcSslContexts.configure(builder, SslProvider.JDK).protocols("TLSv1.3").build();
  }
}
