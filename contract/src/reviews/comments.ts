import { type Static, Type } from 'typebox';
import { DateTime, IdSchema } from '../base/ids.ts';
import { COMMENT_MAX, MENTIONS_MAX } from '../base/limits.ts';
import { Reviewer } from './reviews.ts';

const closed = { additionalProperties: false } as const;

/** What a person wrote about a case to the people of the account. */
export const ReviewComment = Type.Object(
  {
    id: IdSchema('cmt'),
    by: Reviewer,
    text: Type.String(),
    mentions: Type.Array(Reviewer),
    created_at: DateTime,
  },
  { ...closed, title: 'ReviewComment' },
);
export type ReviewComment = Static<typeof ReviewComment>;

export const CommentList = Type.Object({ data: Type.Array(ReviewComment) }, { ...closed, title: 'ReviewCommentList' });

/** Body of POST /v1/verifications/:id/comments. */
export const CommentInput = Type.Object(
  {
    text: Type.String({ minLength: 1, maxLength: COMMENT_MAX, pattern: '\\S' }),
    mentions: Type.Optional(
      Type.Array(IdSchema('usr'), { maxItems: MENTIONS_MAX, description: 'people of the account who are told of it' }),
    ),
  },
  { ...closed, title: 'ReviewCommentInput' },
);
export type CommentInput = Static<typeof CommentInput>;
