package io.csi4j.testkit.internal.server;

import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Headers;

/** The stream of a call that the server answers itself: its request is one message. */
final class ServedStream extends CallStream {

  private final SocketSite site;
  private final TestServer.Entrance entrance;

  ServedStream(Channel channel, TestServer server, SocketSite site, TestServer.Entrance entrance) {
    super(channel, server);
    this.site = site;
    this.entrance = entrance;
  }

  @Override
  protected void enter(Http2Headers asked, ByteBuf complete) {
    try {
      String path = String.valueOf(asked.path());
      entrance.enter(site, path, SentHeaders.of(asked), Framing.unpacked(complete), this);
    } catch (Framing.UnreadableException e) {
      fail(e.code(), String.valueOf(e.getMessage()));
    }
  }
}
